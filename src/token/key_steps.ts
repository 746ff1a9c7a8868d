// Owns the steps of a programme's keys of a kind. Each maps all keys before to all keys after, so
// that a store can apply it in one transaction. It reads no store.

import { instant, type Instant, type Milliseconds } from '../lib/clock.ts';
import type {
  KeyRecord,
  SigningAlgorithm,
  SigningKeyRecord,
  TokenKeyRecord,
} from '../oauth/signing_key.ts';
import {
  type KeyChange,
  lineOf,
  planRemoval,
  planRetirement,
  planRotation,
  type RemovalPlan,
  type RetirementPlan,
  type RotationPlan,
  type RotationWish,
  signerOf,
} from './key_rotation.ts';
import type { KeyRules } from './key_rules.ts';

type Keys = readonly KeyRecord[];
type SigningKeys = readonly SigningKeyRecord[];

/** `overtaken`: another command has made another key sign since this one read the keys. */
export type RotationStep = RotationPlan['step'] | 'overtaken';

export interface Rotated {
  readonly step: RotationStep;
  /** The key that signs next, after the step. */
  readonly key: KeyRecord;
  readonly predecessors: readonly KeyChange[];
}

export interface RotationRequest {
  readonly rules: KeyRules;
  readonly wish: RotationWish;
  readonly now: Instant;
  /** Added if a key is needed; a token key takes the place of one of its number that is due. */
  readonly made: KeyRecord;
  /** The keys at the time of the command: the new key must follow the key that signed then. */
  readonly seen: Keys;
}

/** Rotates as planned; of several rotations that saw the same keys, only one adds a key. */
export function rotated(
  keys: Keys,
  { rules, wish, now, made, seen }: RotationRequest,
): { readonly after: Keys; readonly outcome: Rotated } {
  const plan = planRotation(keys, rules, wish, now);
  if (plan.step === 'wait' || plan.step === 'stand') return unchanged(keys, plan.step, plan.key);
  const signer = signerOf(keys, rules, now);
  const isOwn = wish.algorithm === undefined || wish.algorithm === rules.algorithm;
  if (isOwn && signer !== undefined && signer.kid !== signerOf(seen, rules, now)?.kid) {
    return unchanged(keys, 'overtaken', signer);
  }
  const before = new Map(plan.before.map((change) => [change.kid, change]));
  const dated = keys.map((key) => ({ ...key, ...before.get(key.kid) }));
  const predecessors = plan.before;
  if (plan.step === 'hasten') {
    const key = { ...plan.key, signsFrom: plan.signsFrom };
    return { after: replaced(dated, key), outcome: { step: plan.step, key, predecessors } };
  }
  const { signsFrom } = plan;
  const key = signsFrom === undefined ? made : { ...made, signsFrom };
  const others = dated.filter(({ kid }) => kid !== key.kid);
  return { after: [...others, key], outcome: { step: plan.step, key, predecessors } };
}

/** Removes keys that are due, and dates keys of former algorithms that no server signs with now. */
export function retired(
  keys: Keys,
  rules: KeyRules,
  now: Instant,
  signed: readonly SigningAlgorithm[] = [],
): { readonly after: Keys; readonly plan: RetirementPlan } {
  const plan = planRetirement(keys, rules, now, signed);
  const dates = new Map(plan.date.map((date) => [date.kid, date]));
  const after = keys
    .filter((key) => !plan.remove.includes(key))
    .map((key) => ({ ...key, ...dates.get(key.kid) }));
  return { after, plan };
}

/** Removes a key before its time, unless that is refused. */
export function removed(
  keys: Keys,
  rules: KeyRules,
  gone: KeyRecord,
  now: Instant,
): { readonly after: Keys; readonly plan: RemovalPlan } {
  const key = keys.find(({ kid }) => kid === gone.kid);
  // Another command was faster.
  if (key === undefined) return { after: keys, plan: { key: gone } };
  const plan = planRemoval(keys, rules, key, now);
  if ('refusal' in plan) return { after: keys, plan };
  if (plan.stays) return { after: replaced(keys, { ...key, ended: true } as KeyRecord), plan };
  const rest = keys
    .filter(({ kid }) => kid !== key.kid)
    .map((one) => (one.kid === plan.reprieve?.kid ? endless(one) : one));
  const { hasten } = plan;
  return {
    after: hasten === undefined ? rest : replaced(rest, { ...hasten, signsFrom: now }),
    plan,
  };
}

/** Whether a server can sign with the algorithm without a change of the keys. */
export function isReadyToSign(keys: SigningKeys, algorithm: SigningAlgorithm): boolean {
  const last = lineOf(keys, algorithm).at(-1);
  return last !== undefined && last.retiresAt === undefined;
}

/**
 * The keys for a server that signs with the algorithm of `made`. Adds `made` if there is no such
 * key; otherwise removes the end that the last key got while the programme used another algorithm.
 */
export function readyToSign(keys: SigningKeys, made: SigningKeyRecord): SigningKeys {
  const last = lineOf(keys, made.algorithm).at(-1);
  return last === undefined ? [...keys, made] : replaced(keys, endless(last));
}

/** The keys of a programme that no longer signs: all tokens they signed expire by `end`. */
export function givenUp(keys: SigningKeys, end: Instant): SigningKeys {
  return keys.map((key) => (key.retiresAt === undefined ? { ...key, retiresAt: end } : key));
}

/**
 * The keys for a server that needs a key for `longest` after an answer: each that may still make tokens
 * lasts as long, also where its end was reckoned from shorter lifetimes.
 */
export function lastingFor(
  keys: readonly TokenKeyRecord[],
  longest: Milliseconds,
  now: Instant,
): readonly TokenKeyRecord[] {
  const line = lineOf(keys, undefined);
  return keys.map((key) => {
    const closesAt = line[line.indexOf(key) + 1]?.signsFrom;
    if (key.longestToken >= longest || (closesAt ?? Infinity) <= now) return key;
    const raised = { ...key, longestToken: longest };
    if (key.retiresAt === undefined || closesAt === undefined) return raised;
    const end = instant(closesAt + longest);
    return end > key.retiresAt ? { ...raised, retiresAt: end } : raised;
  });
}

function unchanged(
  keys: Keys,
  step: RotationStep,
  key: KeyRecord,
): { readonly after: Keys; readonly outcome: Rotated } {
  return { after: keys, outcome: { step, key, predecessors: [] } };
}

function replaced<Key extends KeyRecord>(keys: readonly Key[], by: Key): readonly Key[] {
  return keys.map((key) => (key.kid === by.kid ? by : key));
}

function endless<Key extends KeyRecord>({ retiresAt: _never, ...key }: Key): Key {
  return key as Key;
}
