// Owns the verbs below `key`, and the selection of keys for them: of which programmes, and of which kind. `key list`
// never prints a private or secret key, sealed or not; `key rotate` adds the next key, which signs once verifiers and
// servers have it; `key retire` removes keys whose last token has expired, or one key at once.

import type { Config } from '../../config/config.ts';
import { type Instant, after, milliseconds } from '../../lib/clock.ts';
import { dateOrNull, dateText, formatDuration } from '../../lib/duration.ts';
import { type Fault, FaultsError, orFaults, quote } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import type { KeyRecord } from '../../oauth/signing_key.ts';
import { expectNoDamage } from '../../server/damage.ts';
import { say } from '../../server/ending.ts';
import { type CommandError, failed } from '../../server/exit.ts';
import { removeKey, retireKeys, rotateKeys } from '../../server/keys/changes.ts';
import {
  type KeyLine,
  type KeyView,
  awaitsKeys,
  isInUse,
  keyLines,
  listedKeys,
  shownKind,
  viewKey,
} from '../../server/keys/lines.ts';
import type { OpenStore } from '../../server/open_store.ts';
import type { DamagedItem } from '../../store/unusable.ts';
import { type KeyState, keyStates, lineAt } from '../../token/key_line.ts';
import { type KeyRules, shortestWait } from '../../token/key_rules.ts';
import type { Removed, Rotated, RotationWish } from '../../token/key_steps.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { keyOptions, retireKeysOptions, rotateKeysOptions } from '../grammar/rows.ts';
import { expectDurableStore, withStore } from '../open_store.ts';
import { printResult } from '../output.ts';
import { compileNamed, configOf, selectProgrammes } from '../programmes.ts';
import { type Columns, listing } from '../table.ts';

export type KeyOptions = GivenWithConfig<typeof keyOptions>;

/**
 * Reports errors in programme files only after `act`: the keys of other programmes may be urgent.
 */
export async function forKeys(
  config: Config,
  { programme: name, kind }: Pick<KeyOptions, 'programme' | 'kind'>,
  act: (lines: readonly KeyLine[]) => Promise<void>,
): Promise<void> {
  const faults: Fault[] = [];
  const lines: KeyLine[] = [];
  for (const id of selectProgrammes(config, name)) {
    const programme = orFaults(faults, () => compileNamed(config, id));
    if (programme !== undefined) lines.push(...keyLines(programme, kind));
  }
  if (lines.length > 0 || faults.length === 0) await act(lines);
  if (faults.length > 0) throw new FaultsError(faults);
}

export function signsNothing({ programme: name = '', kind }: KeyOptions): CommandError {
  return failed(
    kind === 'identity'
      ? `${name} has no keys of identity tokens alone (id_token.algorithm)`
      : `${name} signs no tokens: they are opaque (tokens.access.format)`,
  );
}

export function noneSigns({ kind }: Pick<KeyOptions, 'kind'>): string {
  return kind === 'identity'
    ? 'no programme has keys of identity tokens alone'
    : 'no programme signs tokens';
}

export function nameOf({ programme, algorithm, kid }: KeyRecord): string {
  return `${programme}: the ${algorithm ?? 'token'} key ${kid}`;
}

const columns = {
  PROGRAMME: 'programme',
  KIND: 'kind',
  KEY: 'kid',
  ALGORITHM: 'algorithm',
  STATUS: 'status',
  'SIGNS FROM': 'signs_from',
  'RETIRES AT': 'retires_at',
} satisfies Columns<keyof KeyView>;

/** By programme, oldest first. */
export async function listKeys(options: KeyOptions): Promise<void> {
  const config = configOf(options);
  await forKeys(config, options, async (lines) => {
    const damage: DamagedItem[] = [];
    const listed = await withStore(config, ({ store, clock }) =>
      listedKeys(store, lines, clock.now(), (one) => damage.push(one)),
    );
    const views = listed.map(viewKey);
    if (options.json !== true && views.length + damage.length === 0) {
      return say('there are no keys; serve makes the first ones');
    }
    await printResult(options, views, listing(columns, views));
    expectNoDamage(damage);
  });
}

type RotateKeysOptions = GivenWithConfig<typeof rotateKeysOptions>;

interface Done extends Rotated {
  readonly rules: KeyRules;
}

export async function rotateAllKeys(options: RotateKeysOptions): Promise<void> {
  const wish = wishOf(options);
  const config = configOf(options);
  expectDurableStore(config);
  const { programme, algorithm, kind = algorithm && 'signing' } = options;
  await forKeys(config, { ...present({ programme, kind }) }, async (lines) => {
    // A first key of identity tokens alone can be published before the file speaks of it.
    const used = lines.filter(
      (line) => isInUse(line) || (algorithm !== undefined && awaitsKeys(line)),
    );
    if (programme !== undefined && used.length === 0) throw signsNothing(options);
    const rotated = await withStore(config, async (open) => {
      const done: Done[] = [];
      for (const { id, rules } of used) {
        const step = await rotateKeys(open, { id, rules }, wish, open.clock.now());
        done.push({ ...step, rules });
      }
      return done;
    });
    if (options.json !== true && rotated.length === 0) return say(noneSigns(options));
    return printResult(options, rotated.map(viewRotated), rotated.flatMap(linesOf).join('\n'));
  });
}

/** A key that signs before verifiers have fetched it must be requested explicitly (`--now`). */
function wishOf({ wait = shortestWait, now = false, algorithm }: RotateKeysOptions): RotationWish {
  return { wait: now ? milliseconds(0) : wait, ...present({ algorithm }) };
}

function viewRotated({ step, key, predecessors, rules }: Done): object {
  return {
    programme: key.programme,
    kind: shownKind(rules),
    kid: key.kid,
    algorithm: key.algorithm ?? null,
    changed: step === 'add' || step === 'hasten',
    signs_from: dateOrNull(key.signsFrom),
    retiring: predecessors.map(({ kid, retiresAt }) => ({ kid, retires_at: dateText(retiresAt) })),
  };
}

function linesOf({ step, key, predecessors, rules }: Done): readonly string[] {
  const from = dateOrNull(key.signsFrom);
  const name = nameOf(key);
  if (step === 'wait') return [`${name} waits already and signs from ${from}; nothing is changed`];
  if (step === 'overtaken') {
    return [`${name} signs from ${from}, by another command just now; nothing more is changed`];
  }
  const switching = `once verifiers have it, in ${formatDuration(shortestWait)}, set ${rules.kind === 'identity_key' ? 'id_token' : 'tokens.access'}.algorithm to ${key.algorithm ?? ''} and have servers take it up (jetway reload)`;
  if (step === 'stand') return [`${name} is published already: ${switching}`];
  if (from === null) return [`${name} is published: ${switching}`];
  return [
    `${name} is ${key.algorithm === undefined ? 'made' : 'published'} and signs from ${from}`,
    ...predecessors.map(
      (one) =>
        `${key.programme}: the key ${one.kid} may be retired from ${dateText(one.retiresAt)}, when its last token has expired: ${lifeText(one.retiresAt - (key.signsFrom ?? 0), rules)}`,
    ),
  ];
}

/** A key lasts for the longest tokens that were ever made with it. */
function lifeText(span: number, { longestToken, longestBy }: KeyRules): string {
  const life = formatDuration(milliseconds(span));
  const why = span === longestToken ? longestBy : 'a longer lifetime of before';
  return `its tokens live up to ${life} (${why})`;
}

/** The removed keys, the keys that only verify, and the key that no longer does. */
interface Retired {
  readonly removed: readonly KeyRecord[];
  /** Removed as well, without its record. */
  readonly damaged?: DamagedItem;
  readonly kept: readonly Pick<KeyState, 'key' | 'retiresAt'>[];
  readonly ended?: Pick<KeyState, 'key' | 'retiresAt'>;
  /** Lines for people if no key was removed and none can be yet: when one can. */
  readonly next?: readonly string[];
}

export async function retireAllKeys(
  options: GivenWithConfig<typeof retireKeysOptions>,
): Promise<void> {
  const { kid, force = false } = options;
  const config = configOf(options);
  expectDurableStore(config);
  await forKeys(config, options, async (lines) => {
    const retired = await withStore(config, (open) =>
      kid === undefined ? retireDue(open, lines) : retireOne(open, lines, kid, force),
    );
    await printResult(options, viewOf(retired), retiredLines(retired).join('\n'));
  });
}

async function retireDue({ store, clock }: OpenStore, lines: readonly KeyLine[]): Promise<Retired> {
  const removed: KeyRecord[] = [];
  const kept: Retired['kept'][number][] = [];
  for (const line of lines) {
    const plan = await retireKeys(store, line, clock.now());
    removed.push(...plan.remove);
    kept.push(...plan.keep);
  }
  if (removed.length + kept.length > 0) return { removed, kept };
  const next: string[] = [];
  for (const { id, rules } of lines) {
    next.push(...nextOf(await store.list(rules.kind, id), rules, clock.now()));
  }
  return { removed, kept, next };
}

/** When the key that signs may go: with the key that waits, or with one that is added now. */
function nextOf(keys: readonly KeyRecord[], rules: KeyRules, now: Instant): readonly string[] {
  const { signer, waiting } = lineAt(keys, rules, now);
  if (signer === undefined) return [];
  const until = waiting[0]?.signsFrom;
  const longest = milliseconds(Math.max(signer.longestToken ?? 0, rules.longestToken));
  const retiresAt = dateText(after(until ?? after(now, shortestWait), longest));
  return [
    until === undefined
      ? `${nameOf(signer)} signs, and none waits to follow it: after a key rotate now it may go from ${retiresAt}`
      : `${nameOf(signer)} signs until ${dateText(until)} and may go from ${retiresAt}`,
  ];
}

async function retireOne(
  { store, clock }: OpenStore,
  lines: readonly KeyLine[],
  kid: string,
  force: boolean,
): Promise<Retired> {
  const now = clock.now();
  const damage: DamagedItem[] = [];
  const all = lines.map(async (line) => {
    const onDamage = (one: DamagedItem): void => void damage.push(one);
    const held = await store.list(line.rules.kind, line.id, { onDamage });
    const states = keyStates(held, line.rules, now);
    return states.filter(({ key }) => key.kid === kid).map((state) => ({ line, ...state }));
  });
  const [found, another] = (await Promise.all(all)).flat();
  const [damaged, ...others] = damage.filter(({ id }) => id === kid);
  if (damaged !== undefined && found === undefined && others.length === 0) {
    if (!force) throw damaged;
    // No plan can say what becomes of the others; without it they can be read again.
    await store.remove(damaged.kind, damaged.programme, damaged.id, now);
    return { removed: [], kept: [], damaged };
  }
  if (found === undefined) throw failed(`there is no key ${quote(kid)}: key list names them`);
  // Token keys of different programmes have the same numbers.
  if (another !== undefined || damaged !== undefined)
    throw failed(`several programmes have a key ${quote(kid)}: name one with --programme`);
  if (!force && found.status !== 'due') throw notDue(found);
  const plan = await removeKey(store, found.line, found.key, now);
  if ('refusal' in plan) throw refused(found.key, refusals[plan.refusal]);
  if (plan.stays === undefined) return { removed: [found.key], kept: [] };
  return { removed: [], kept: [], ended: found };
}

function notDue({ key, status, retiresAt }: KeyState): CommandError {
  const words = {
    signing: 'signs',
    waiting: 'is to sign',
    ahead: 'is published for a change of algorithm',
    retiring: `may go from ${retiresAt === undefined ? 'a time that key retire finds' : dateText(retiresAt)}`,
    due: '',
  }[status];
  return refused(
    key,
    `${words}: --force removes it all the same, and no token it signed can be verified from then on`,
  );
}

const refusals: Readonly<
  Record<Extract<Removed, { readonly refusal: unknown }>['refusal'], string>
> = {
  only_key: 'is the only one there is: make another sign first with key rotate --now',
  signs: 'signs, and none waits to follow it: make another sign first with key rotate --now',
  signs_soon:
    'signs in a moment: wait until it does, then make another sign first with key rotate --now',
  signs_still: 'signs until the key that waits does: key rotate --now makes that sign in 5 seconds',
  undated: 'may sign still, in a server from before tokens were opaque: restart servers first',
};

function refused(key: KeyRecord, why: string): CommandError {
  return failed(`${nameOf(key)} ${why}`);
}

function viewOf({ removed, kept, ended, damaged }: Retired): object {
  const nameOnly = ({ programme, kid }: KeyRecord): object => ({
    programme,
    kid,
  });
  const withDate = ({ key, retiresAt }: Retired['kept'][number]): object => ({
    ...nameOnly(key),
    retires_at: dateOrNull(retiresAt),
  });
  return {
    removed: [
      ...removed.map(nameOnly),
      ...(damaged === undefined ? [] : [{ programme: damaged.programme, kid: damaged.id }]),
    ],
    kept: kept.map(withDate),
    ...(ended === undefined ? {} : { ended: withDate(ended) }),
  };
}

function retiredLines({ removed, kept, ended, damaged, next = [] }: Retired): readonly string[] {
  if (damaged !== undefined)
    return [`${damaged.programme}: the damaged key ${damaged.id} is removed`];
  if (ended !== undefined) {
    const until = dateOrNull(ended.retiresAt);
    return [
      `${nameOf(ended.key)} is ended: no token of it is valid; its record may go from ${until}`,
    ];
  }
  if (removed.length + kept.length === 0) return ['no key is to be retired', ...next];
  return [
    ...removed.map((key) => `${nameOf(key)} is removed`),
    ...kept.map(({ key, retiresAt }) =>
      retiresAt === undefined
        ? `${nameOf(key)} stays until a server was started with the programme as it is now`
        : `${nameOf(key)} may go from ${dateText(retiresAt)}, when its last token has expired`,
    ),
  ];
}
