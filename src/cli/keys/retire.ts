// Owns the verb `key retire`: removes keys whose last token has expired, or one key at once.

import { quote } from '../../lib/fault.ts';
import type { SigningKeyRecord } from '../../oauth/signing_key.ts';
import { type KeyState, keyStates, type RemovalPlan } from '../../token/key_rotation.ts';
import { CommandError, exitCodes, refuseUsage } from '../exit.ts';
import { expectDurableStore, type OpenStore, withStore } from '../open_store.ts';
import { printResult } from '../output.ts';
import { configOf } from '../programmes.ts';
import { dateOrNull, dateText } from '../table.ts';
import { removeKey, retireKeys } from './changes.ts';
import {
  expectKeys,
  forProgrammes,
  type KeyedProgramme,
  type KeyOptions,
  nameOf,
} from './programmes.ts';

export interface RetireKeysOptions extends KeyOptions {
  readonly kid?: string;
  readonly force?: boolean;
}

/** The removed keys, and the keys that only verify. */
interface Retired {
  readonly removed: readonly SigningKeyRecord[];
  readonly kept: readonly Pick<KeyState, 'key' | 'retiresAt'>[];
}

export async function retireSigningKeys(options: RetireKeysOptions): Promise<void> {
  const { kid, force = false } = options;
  refuseUsage(force && kid === undefined ? ['--force needs --kid: it is for one key'] : []);
  const config = configOf(options);
  expectDurableStore(config);
  await forProgrammes(config, options, async (programmes) => {
    const retired = await withStore(config, async (open) => {
      if (kid !== undefined) return retireOne(open, programmes, kid, force);
      await expectKeys(open.store, programmes, options);
      return retireDue(open, programmes);
    });
    await printResult(options, viewOf(retired), linesOf(retired).join('\n'));
  });
}

async function retireDue(
  { store, clock }: OpenStore,
  programmes: readonly KeyedProgramme[],
): Promise<Retired> {
  const removed: SigningKeyRecord[] = [];
  const kept: Retired['kept'][number][] = [];
  for (const programme of programmes) {
    const plan = await retireKeys(store, programme, clock.now());
    removed.push(...plan.remove);
    kept.push(...plan.keep);
  }
  return { removed, kept };
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
    if ('refusal' in plan) throw refused(state.key, refusals[plan.refusal]);
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
  return refused(
    key,
    `${words}: --force removes it all the same, and no token it signed can be verified from then on`,
  );
}

const refusals: Readonly<
  Record<Extract<RemovalPlan, { readonly refusal: unknown }>['refusal'], string>
> = {
  only_key: 'is the only one there is: make another sign first with key rotate --now',
  signs: 'signs, and none waits to follow it: make another sign first with key rotate --now',
  undated: 'may sign still, in a server from before tokens were opaque: restart servers first',
};

function refused(key: SigningKeyRecord, why: string): CommandError {
  return new CommandError(exitCodes.failed, `${nameOf(key)} ${why}`);
}

function viewOf({ removed, kept }: Retired): object {
  return {
    removed: removed.map(({ programme, kid }) => ({ programme, kid })),
    kept: kept.map(({ key: { programme, kid }, retiresAt }) => ({
      programme,
      kid,
      retires_at: dateOrNull(retiresAt),
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
