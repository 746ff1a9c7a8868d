// Owns the planning of key rotation: the state of each key of a kind, and the changes of a rotation
// or retirement. It reads no store and makes no key.

import { after, type Instant, milliseconds, type Milliseconds } from '../lib/clock.ts';
import { present } from '../lib/present.ts';
import type { KeyRecord, SigningAlgorithm } from '../oauth/signing_key.ts';
import { type KeyRules, leads, removalLead } from './key_rules.ts';

/** `ahead`: published, with an algorithm that the programme does not sign with yet. */
export type KeyStatus = 'signing' | 'waiting' | 'ahead' | 'retiring' | 'due';

export interface KeyState {
  readonly key: KeyRecord;
  readonly status: KeyStatus;
  /** All tokens of the key have expired by then; absent until that is known. */
  readonly retiresAt?: Instant;
}

export function keyStates(
  keys: readonly KeyRecord[],
  rules: KeyRules,
  now: Instant,
): readonly KeyState[] {
  const line = lineOf(keys, rules.algorithm);
  const signer = signerAt(line, now);
  return keys.map((key) => {
    if (key === signer) return { key, status: 'signing' };
    if (key.algorithm !== rules.algorithm) return formerOrAhead(key, now);
    const place = line.indexOf(key);
    if (signer === undefined || place > line.indexOf(signer)) return { key, status: 'waiting' };
    return retiring(key, supersededAt(key, line[place + 1], rules), now);
  });
}

export type RotationPlan =
  /** A key waits already: nothing changes. */
  | { readonly step: 'wait'; readonly key: KeyRecord }
  /** The key exists, and will sign once the programme uses its algorithm. */
  | { readonly step: 'stand'; readonly key: KeyRecord }
  /** The waiting key signs earlier. */
  | {
      readonly step: 'hasten';
      readonly key: KeyRecord;
      readonly signsFrom: Instant;
      readonly before: KeyChange[];
    }
  /** Adds a key; without `signsFrom` it is `ahead` of its algorithm. */
  | { readonly step: 'add'; readonly signsFrom?: Instant; readonly before: KeyChange[] };

/** The change of a superseded key. */
export interface KeyChange {
  readonly kid: string;
  readonly signsFrom: Instant;
  readonly retiresAt: Instant;
}

/** `wait` is how long a new key is published before it signs; 0 for an emergency. */
export interface RotationWish {
  readonly wait: Milliseconds;
  readonly algorithm?: SigningAlgorithm;
}

/** Plans the next key. The changes in `before` come first, so that a key signs at every moment. */
export function planRotation(
  keys: readonly KeyRecord[],
  rules: KeyRules,
  { wait, algorithm = rules.algorithm }: RotationWish,
  now: Instant,
): RotationPlan {
  if (algorithm !== rules.algorithm) {
    const standing = keys.find((key) => key.algorithm === algorithm);
    return standing === undefined ? { step: 'add', before: [] } : { step: 'stand', key: standing };
  }
  const states = keyStates(keys, rules, now);
  const waiting = lineOf(keys, algorithm).find((key) => isA(states, key, 'waiting'));
  const span = milliseconds(Math.max(wait, leads[rules.kind]));
  // Without a key before it, no verifier has fetched a key set yet: no wait is needed.
  const signsFrom = keys.length === 0 ? now : after(now, span);
  if (waiting !== undefined && (wait > 0 || (waiting.signsFrom ?? Infinity) <= signsFrom)) {
    return { step: 'wait', key: waiting };
  }
  const before = states
    .filter(({ status }) => status === 'signing')
    .map(({ key }) => ({
      kid: key.kid,
      signsFrom: key.signsFrom ?? now,
      retiresAt: after(signsFrom, longestOf(key, rules)),
    }));
  if (waiting !== undefined) return { step: 'hasten', key: waiting, signsFrom, before };
  return { step: 'add', signsFrom, before };
}

export interface RetirementPlan {
  readonly remove: readonly KeyRecord[];
  /** Keys of a former algorithm, whose end was not known until now. */
  readonly date: readonly { readonly kid: string; readonly retiresAt: Instant }[];
  /** Keys that only verify and may not be removed yet. */
  readonly keep: readonly { readonly key: KeyRecord; readonly retiresAt?: Instant }[];
}

/**
 * Selects keys to remove now, and the dates of other keys that only verify.
 * @param signed the algorithms that servers sign with now: their keys get no end
 */
export function planRetirement(
  keys: readonly KeyRecord[],
  rules: KeyRules,
  now: Instant,
  signed: readonly SigningAlgorithm[] = [],
): RetirementPlan {
  const states = keyStates(keys, rules, now);
  // Without a key of the new algorithm, no server has restarted since the change: all sign with the
  // old key. A server that no longer signs dates the keys itself (key_steps.ts).
  const isMoved = states.some(({ status }) => status === 'signing');
  const isOver = ({ key }: KeyState): boolean =>
    isMoved && !signed.some((algorithm) => algorithm === key.algorithm);
  const end = { retiresAt: after(now, rules.longestToken) };
  const retired = states.filter(({ status }) => status === 'retiring');
  return {
    remove: states.filter(({ status }) => status === 'due').map(({ key }) => key),
    date: retired
      .filter((state) => state.retiresAt === undefined && isOver(state))
      .map(({ key }) => ({ kid: key.kid, ...end })),
    keep: retired.map((state) => {
      const { key, retiresAt = isOver(state) ? end.retiresAt : undefined } = state;
      return present({ key, retiresAt });
    }),
  };
}

export type RemovalPlan =
  | { readonly refusal: 'only_key' | 'signs' | 'signs_soon' | 'signs_still' | 'undated' }
  | {
      readonly key: KeyRecord;
      /** Its record stays, marked as ended. */
      readonly stays?: true;
      /** Signs from now on, before the key is removed. */
      readonly hasten?: KeyRecord;
      /** Continues to sign, since its successor is removed. */
      readonly reprieve?: KeyRecord;
    };

/** Plans the removal of a key before its time; refused if no other key could sign. */
export function planRemoval(
  keys: readonly KeyRecord[],
  rules: KeyRules,
  key: KeyRecord,
  now: Instant,
): RemovalPlan {
  if (rules.kind === 'signing_key' && rules.algorithm === undefined) {
    // Until a server has started that no longer signs, an older one may sign with it.
    return key.retiresAt === undefined ? { refusal: 'undated' } : { key };
  }
  if (keys.length < 2) return { refusal: 'only_key' };
  const states = keyStates(keys, rules, now);
  const signer = states.find(({ status }) => status === 'signing')?.key;
  const waiting = lineOf(keys, rules.algorithm).filter((one) => isA(states, one, 'waiting'));
  if (key === signer) {
    const [next] = waiting;
    // Without a waiting key an older key would sign again.
    if (next === undefined) return { refusal: 'signs' };
    return leads[rules.kind] > 0 ? { refusal: 'signs_still' } : { key, hasten: next };
  }
  // A server that has not restarted since the change of algorithm may sign with any other key.
  if (signer === undefined && !isA(states, key, 'ahead')) return { refusal: 'signs' };
  const isToken = rules.kind === 'token_key';
  if (isToken && isA(states, key, 'waiting') && (key.signsFrom ?? 0) <= after(now, removalLead)) {
    return { refusal: 'signs_soon' };
  }
  const isNext = signer?.retiresAt !== undefined && waiting.length === 1 && waiting[0] === key;
  if (isNext) return { key, reprieve: signer };
  return isToken && isA(states, key, 'retiring') ? { key, stays: true } : { key };
}

/** Keys of an algorithm in the order in which they sign; keys without `signsFrom` come last. */
export function lineOf<Key extends KeyRecord>(
  keys: readonly Key[],
  algorithm: SigningAlgorithm | undefined,
): readonly Key[] {
  return keys
    .filter((key) => key.algorithm === algorithm)
    .toSorted(
      // Infinity − Infinity is NaN: two keys without `signsFrom` compare as equal.
      (one, other) => compare(one.signsFrom ?? Infinity, other.signsFrom ?? Infinity),
    );
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one - other;
}

export function signerOf(
  keys: readonly KeyRecord[],
  { algorithm }: KeyRules,
  now: Instant,
): KeyRecord | undefined {
  return signerAt(lineOf(keys, algorithm), now);
}

/** As in a running server: the latest key whose time has come, else the first key. */
function signerAt(line: readonly KeyRecord[], now: Instant): KeyRecord | undefined {
  return line.findLast(({ signsFrom = Infinity }) => signsFrom <= now) ?? line[0];
}

function isA(states: readonly KeyState[], key: KeyRecord, status: KeyStatus): boolean {
  return states.some((state) => state.key === key && state.status === status);
}

function formerOrAhead(key: KeyRecord, now: Instant): KeyState {
  const { signsFrom, retiresAt } = key;
  if (signsFrom === undefined && retiresAt === undefined) return { key, status: 'ahead' };
  return retiring(key, retiresAt, now);
}

/**
 * When a superseded key's last token expires; lifetimes may have grown since the end was stored.
 */
function supersededAt(
  key: KeyRecord,
  successor: KeyRecord | undefined,
  rules: KeyRules,
): Instant | undefined {
  const reckoned =
    successor?.signsFrom === undefined
      ? undefined
      : after(successor.signsFrom, longestOf(key, rules));
  if (key.retiresAt === undefined || reckoned === undefined) return key.retiresAt ?? reckoned;
  return key.retiresAt > reckoned ? key.retiresAt : reckoned;
}

/** Lifetimes may have been longer when a token was made, or in a server that was not restarted. */
function longestOf(key: KeyRecord, rules: KeyRules): Milliseconds {
  return milliseconds(Math.max(key.longestToken ?? 0, rules.longestToken));
}

function retiring(key: KeyRecord, retiresAt: Instant | undefined, now: Instant): KeyState {
  if (retiresAt === undefined) return { key, status: 'retiring' };
  return { key, status: retiresAt <= now ? 'due' : 'retiring', retiresAt };
}
