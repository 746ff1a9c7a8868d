// Owns the verb `key retire`: removes keys whose last token has expired, or one key at once.

import { after, type Instant, milliseconds } from '../../lib/clock.ts';
import { dateOrNull, dateText } from '../../lib/duration.ts';
import { quote } from '../../lib/fault.ts';
import type { KeyRecord } from '../../oauth/signing_key.ts';
import { type CommandError, failed } from '../../server/exit.ts';
import { removeKey, retireKeys } from '../../server/keys/changes.ts';
import { type KeyLine } from '../../server/keys/lines.ts';
import { type OpenStore } from '../../server/open_store.ts';
import type { DamagedItem } from '../../store/unusable.ts';
import { type KeyState, keyStates, lineAt } from '../../token/key_line.ts';
import { type KeyRules, shortestWait } from '../../token/key_rules.ts';
import type { Removed } from '../../token/key_steps.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { retireKeysOptions } from '../grammar/rows.ts';
import { expectDurableStore, withStore } from '../open_store.ts';
import { printResult } from '../output.ts';
import { configOf } from '../programmes.ts';
import { forKeys, nameOf } from './programmes.ts';

/** The removed keys, the keys that only verify, and the key that no longer does. */
interface Retired {
  readonly removed: readonly KeyRecord[];
  /** Removed as well, without its record. */
  readonly damaged?: DamagedItem;
  readonly kept: readonly Pick<KeyState, 'key' | 'retiresAt'>[];
  readonly ended?: Pick<KeyState, 'key' | 'retiresAt'>;
  /** For people, where nothing was and nothing is to be removed: when that will be. */
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
    await printResult(options, viewOf(retired), linesOf(retired).join('\n'));
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

function linesOf({ removed, kept, ended, damaged, next = [] }: Retired): readonly string[] {
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
