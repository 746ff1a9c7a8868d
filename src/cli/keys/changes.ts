// Owns changing a programme's signing keys. Each change is one transaction of the store: a killed
// command has changed everything or nothing, and two commands at once do not mix.

import type { Instant } from '../../lib/clock.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { SigningKeyRecord } from '../../oauth/signing_key.ts';
import type { Store } from '../../store/contract.ts';
import type { RemovalPlan, RetirementPlan, RotationWish } from '../../token/key_rotation.ts';
import { removed, retired, type Rotated, rotated } from '../../token/key_steps.ts';
import { newSigningKey } from '../../token/signing_keys.ts';
import type { OpenStore } from '../open_store.ts';
import type { KeyedProgramme, SigningProgramme } from './programmes.ts';

/** If several commands rotate at once, only one adds a key. */
export async function rotateKeys(
  { store, keyring }: Pick<OpenStore, 'store' | 'keyring'>,
  { id, rules }: SigningProgramme,
  wish: RotationWish,
  now: Instant,
): Promise<Rotated> {
  const seen = await store.list('signing_key', id);
  const made = await newSigningKey(id, wish.algorithm ?? rules.algorithm, keyring, now);
  return changeKeys(store, id, (keys) => rotated(keys, { rules, wish, now, made, seen }));
}

/** Removes keys that are due, and records the end of keys of an abandoned algorithm. */
export async function retireKeys(
  store: Store,
  { id, rules }: KeyedProgramme,
  now: Instant,
): Promise<RetirementPlan> {
  return changeKeys(store, id, (keys) => {
    const { after, plan } = retired(keys, rules, now);
    return { after, outcome: plan };
  });
}

/** Removes one key, due or not, unless the plan refuses it. */
export async function removeKey(
  store: Store,
  { id, rules }: KeyedProgramme,
  key: SigningKeyRecord,
  now: Instant,
): Promise<RemovalPlan> {
  return changeKeys(store, id, (keys) => {
    const { after, plan } = removed(keys, rules, key, now);
    return { after, outcome: plan };
  });
}

async function changeKeys<Outcome>(
  store: Store,
  id: ProgrammeId,
  change: (keys: readonly SigningKeyRecord[]) => {
    readonly after: readonly SigningKeyRecord[];
    readonly outcome: Outcome;
  },
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  await store.changeAll('signing_key', { programme: id }, (keys) => {
    const changed = change(keys);
    outcome = changed.outcome;
    return changed.after;
  });
  if (outcome === undefined) throw new Error('a store that resolves has run the change');
  return outcome;
}
