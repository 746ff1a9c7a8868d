// Owns carrying out what is planned for a programme's signing keys, in steps of which each leaves a
// key that verifiers know to sign.

import type { Instant } from '../lib/clock.ts';
import type { SigningKeyRecord } from '../oauth/signing_key.ts';
import type { Store } from '../store/contract.ts';
import {
  type KeyChange,
  planRetirement,
  planRotation,
  type RemovalPlan,
  type RetirementPlan,
  type RotationPlan,
  type RotationWish,
} from '../token/key_rotation.ts';
import { newSigningKey } from '../token/signing_keys.ts';
import type { SigningProgramme } from './key_programmes.ts';
import type { OpenStore } from './workplace.ts';

/** What a rotation came to. */
export interface Rotated {
  readonly step: RotationPlan['step'];
  /** The key that is to sign next, as it is now. */
  readonly key: SigningKeyRecord;
  readonly predecessors: readonly KeyChange[];
}

/** Rotates as planned. Two at once may add two keys, which then sign one after the other. */
export async function rotateKeys(
  { store, keyring }: Pick<OpenStore, 'store' | 'keyring'>,
  { id, rules }: SigningProgramme,
  wish: RotationWish,
  now: Instant,
): Promise<Rotated> {
  const plan = planRotation(await store.listSigningKeys(id), rules, wish, now);
  if (plan.step === 'wait' || plan.step === 'stand') return { ...plan, predecessors: [] };
  for (const { kid, signsFrom, retiresAt } of plan.before) {
    await store.changeSigningKey(id, kid, (key) => ({ ...key, signsFrom, retiresAt }));
  }
  if (plan.step === 'hasten') {
    const key = await signFrom(store, plan.key, now);
    return { step: plan.step, key, predecessors: plan.before };
  }
  const made = await newSigningKey(id, wish.algorithm ?? rules.algorithm, keyring, now);
  const { signsFrom } = plan;
  const key = signsFrom === undefined ? made : { ...made, signsFrom };
  await store.addSigningKey(key);
  return { step: plan.step, key, predecessors: plan.before };
}

/** Removes what may go, and writes down when keys of an algorithm that was given up may. */
export async function retireKeys(
  store: Store,
  { id, rules }: SigningProgramme,
  now: Instant,
): Promise<RetirementPlan> {
  const plan = planRetirement(await store.listSigningKeys(id), rules, now);
  for (const { kid, retiresAt } of plan.date) {
    await store.changeSigningKey(id, kid, (key) => ({ ...key, retiresAt }));
  }
  for (const { kid } of plan.remove) await store.removeSigningKey(id, kid);
  return plan;
}

/** Removes one key as planned. */
export async function removeKey(
  store: Store,
  { id }: Pick<SigningProgramme, 'id'>,
  { key, hasten, reprieve }: Exclude<RemovalPlan, { readonly refusal: unknown }>,
  now: Instant,
): Promise<void> {
  if (hasten !== undefined) await signFrom(store, hasten, now);
  if (reprieve !== undefined) {
    await store.changeSigningKey(id, reprieve.kid, ({ retiresAt: _never, ...rest }) => rest);
  }
  await store.removeSigningKey(id, key.kid);
}

/** Whatever the key was by then told otherwise, it signs from now on. */
async function signFrom(
  store: Store,
  key: SigningKeyRecord,
  now: Instant,
): Promise<SigningKeyRecord> {
  const changed = await store.changeSigningKey(key.programme, key.kid, (record) => ({
    ...record,
    signsFrom: now,
  }));
  return changed ?? key;
}
