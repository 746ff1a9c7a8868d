// Owns the verb `key retire`: removes keys whose last token has ended, or one that must go at once.

import type { Config } from '../../config/config.ts';
import { quote } from '../../lib/fault.ts';
import type { SigningKeyRecord } from '../../oauth/signing_key.ts';
import { type KeyState, keyStates, type RemovalPlan } from '../../token/key_rotation.ts';
import { CommandError, exitCodes, refuseUsage } from '../exit.ts';
import { expectDurableStore, type OpenStore, withStore } from '../open_store.ts';
import { type OutputOptions, print, printJson } from '../output.ts';
import { configOf } from '../programmes.ts';
import { dateText } from '../table.ts';
import { removeKey, retireKeys } from './changes.ts';
import {
  forProgrammes,
  isSigning,
  type KeyedProgramme,
  type KeySelection,
  signsNothing,
} from './programmes.ts';

export interface RetireKeysOptions extends KeySelection, OutputOptions {
  readonly config: string;
  readonly kid?: string;
  readonly force?: boolean;
}

/** What went, and what only verifies and stays. */
interface Retired {
  readonly removed: readonly SigningKeyRecord[];
  readonly kept: readonly Pick<KeyState, 'key' | 'retiresAt'>[];
}

/** `jetway key retire`. */
export async function retireSigningKeys(options: RetireKeysOptions): Promise<void> {
  const { kid, force = false } = options;
  refuseUsage(force && kid === undefined ? ['--force needs --kid: it is for one key'] : []);
  const config = configOf(options);
  expectDurableStore(config);
  await forProgrammes(config, options, async (programmes) => {
    const retired =
      kid === undefined
        ? await retireDue(config, programmes, options)
        : await withStore(config, (open) => retireOne(open, programmes, kid, force));
    if (options.json === true) await printJson(viewOf(retired));
    else await print(linesOf(retired).join('\n'));
  });
}

function retireDue(
  config: Config,
  programmes: readonly KeyedProgramme[],
  selection: KeySelection,
): Promise<Retired> {
  return withStore(config, async ({ store, clock }) => {
    const isOfInterest = programmes.map(
      async (one) => isSigning(one) || (await store.list('signing_key', one.id)).length > 0,
    );
    if (selection.programme !== undefined && !(await Promise.all(isOfInterest)).includes(true)) {
      throw signsNothing(selection);
    }
    const removed: SigningKeyRecord[] = [];
    const kept: Retired['kept'][number][] = [];
    for (const programme of programmes) {
      const plan = await retireKeys(store, programme, clock.now());
      removed.push(...plan.remove);
      kept.push(...plan.keep);
    }
    return { removed, kept };
  });
}

async function retireOne(
  { store, clock }: OpenStore,
  programmes: readonly KeyedProgramme[],
  kid: string,
  force: boolean,
): Promise<Retired> {
  const now = clock.now();
  for (const programme of programmes) {
    const keys = await store.list('signing_key', programme.id);
    const state = keyStates(keys, programme.rules, now).find(({ key }) => key.kid === kid);
    if (state === undefined) continue;
    if (!force && state.status !== 'due') throw notDue(state);
    const plan = await removeKey(store, programme, state.key, now);
    if ('refusal' in plan) throw refused(state.key, plan.refusal);
    return { removed: [state.key], kept: [] };
  }
  throw new CommandError(exitCodes.failed, `there is no key ${quote(kid)}: key list names them`);
}

function notDue({ key, status, retiresAt }: KeyState): CommandError {
  const words = {
    signing: 'signs',
    waiting: 'is to sign',
    ahead: 'is published for a change of algorithm',
    retiring: `may go from ${retiresAt === undefined ? 'a time that key retire finds' : dateText(retiresAt)}`,
    due: '',
  }[status];
  return new CommandError(
    exitCodes.failed,
    `${nameOf(key)} ${words}: --force removes it all the same, and no token it signed can be verified from then on`,
  );
}

type Refusal = Extract<RemovalPlan, { readonly refusal: unknown }>['refusal'];

function refused(key: SigningKeyRecord, refusal: Refusal): CommandError {
  const words = {
    only_key: 'is the only one there is: make another sign first with key rotate --now',
    signs: 'signs, and none waits to follow it: make another sign first with key rotate --now',
    undated: 'may sign still, in a server from before tokens were opaque: restart servers first',
  }[refusal];
  return new CommandError(exitCodes.failed, `${nameOf(key)} ${words}`);
}

function nameOf({ programme, algorithm, kid }: SigningKeyRecord): string {
  return `${programme}: the ${algorithm} key ${kid}`;
}

function viewOf({ removed, kept }: Retired): object {
  return {
    removed: removed.map(({ programme, kid }) => ({ programme, kid })),
    kept: kept.map(({ key: { programme, kid }, retiresAt }) => ({
      programme,
      kid,
      retires_at: retiresAt === undefined ? null : dateText(retiresAt),
    })),
  };
}

function linesOf({ removed, kept }: Retired): readonly string[] {
  if (removed.length + kept.length === 0) return ['no key is to be retired'];
  return [
    ...removed.map((key) => `${nameOf(key)} is removed`),
    ...kept.map(({ key, retiresAt }) =>
      retiresAt === undefined
        ? `${nameOf(key)} stays until a server was started with the programme as it is now`
        : `${nameOf(key)} may go from ${dateText(retiresAt)}`,
    ),
  ];
}
