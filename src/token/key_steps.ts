// Owns the steps of a programme's keys of a kind. Each maps all keys before to all keys after, so
// that a store can apply it in one transaction. It reads no store.

import { after, type Instant, milliseconds, type Milliseconds } from '../lib/clock.ts';
import { present } from '../lib/present.ts';
import type { KeyRecord, SigningAlgorithm } from '../oauth/signing_key.ts';
import { endOf, type KeyState, keyStates, lineAt, lineOf, marked, takenUp } from './key_line.ts';
import { type KeyRules, leads, removalLead } from './key_rules.ts';

type Keys = readonly KeyRecord[];

/** `wait` is how long a new key is published before it signs; 0 for an emergency. */
export interface RotationWish {
  readonly wait: Milliseconds;
  readonly algorithm?: SigningAlgorithm;
}

export interface Rotated {
  /**
   * `add`: a key was added; without `signsFrom` it is ahead of its algorithm. `hasten`: the waiting key
   * signs earlier. The others change nothing. `wait`: a key waits already. `stand`: the key exists, and
   * signs once the programme uses its algorithm. `overtaken`: another command has made another key sign
   * since this one read the keys.
   */
  readonly step: 'add' | 'hasten' | 'wait' | 'stand' | 'overtaken';
  /** The key that signs next, after the step. */
  readonly key: KeyRecord;
  /** The key that it follows, and when that may go. */
  readonly predecessors: readonly { readonly kid: string; readonly retiresAt: Instant }[];
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

interface Step<Outcome> {
  readonly after: Keys;
  readonly outcome: Outcome;
}

/** Adds or hastens the next key; of several rotations that saw the same keys, only one adds a key. */
export function rotated(
  keys: Keys,
  { rules, wish, now, made, seen }: RotationRequest,
): Step<Rotated> {
  const { wait, algorithm = rules.algorithm } = wish;
  const unchanged = (step: Rotated['step'], key: KeyRecord): Step<Rotated> => ({
    after: keys,
    outcome: { step, key, predecessors: [] },
  });
  if (algorithm !== rules.algorithm) {
    const standing = keys.find((key) => key.algorithm === algorithm);
    if (standing !== undefined) return unchanged('stand', standing);
    return { after: [...keys, made], outcome: { step: 'add', key: made, predecessors: [] } };
  }
  const span = milliseconds(Math.max(wait, leads[rules.kind]));
  // Without a key before it, no verifier has fetched a key set yet: no wait is needed.
  const signsFrom = keys.length === 0 ? now : after(now, span);
  const current = takenUp(keys, rules, now);
  const {
    signer,
    waiting: [waiting],
  } = lineAt(current, rules, now);
  if (waiting !== undefined && (wait > 0 || (waiting.signsFrom ?? Infinity) <= signsFrom)) {
    return unchanged('wait', waiting);
  }
  if (signer !== undefined && signer.kid !== lineAt(seen, rules, now).signer?.kid) {
    return unchanged('overtaken', signer);
  }
  const { longestToken } = rules;
  const key = { longestToken, ...(waiting ?? made), signsFrom } as KeyRecord;
  const others = current.filter(({ kid }) => kid !== key.kid);
  const all = [...others, key];
  const retiresAt = signer && endOf(lineOf(all, algorithm), signer, rules);
  const predecessors =
    signer === undefined || retiresAt === undefined ? [] : [{ kid: signer.kid, retiresAt }];
  const step = waiting === undefined ? 'add' : 'hasten';
  return { after: all, outcome: { step, key, predecessors } };
}

export interface Retired {
  readonly remove: Keys;
  /** Keys that only verify and may not be removed yet. */
  readonly keep: readonly Pick<KeyState, 'key' | 'retiresAt'>[];
}

/**
 * Removes keys that are due, and marks former algorithms that no server signs with now.
 * @param signed the algorithms that servers sign with now: their keys get no mark
 */
export function retired(
  keys: Keys,
  rules: KeyRules,
  now: Instant,
  signed: readonly SigningAlgorithm[] = [],
): Step<Retired> {
  const before = keyStates(keys, rules, now);
  // Without a key of the new algorithm, no server has restarted since the change: all sign with the
  // old key. A server that no longer signs marks the keys itself (key_chest.ts).
  const isMoved = before.some(({ status }) => status === 'signing');
  const verifying = before.filter(({ status }) => status === 'retiring');
  const retiring = new Set(verifying.map(({ key }) => key));
  const isOver = (key: KeyRecord): boolean =>
    isMoved && retiring.has(key) && !signed.some((algorithm) => algorithm === key.algorithm);
  const states = keyStates(marked(keys, rules, now, isOver), rules, now);
  const keysOf = (status: KeyState['status']): readonly KeyState[] =>
    states.filter((state) => state.status === status);
  return {
    after: states.flatMap(({ key, status }) => (status === 'due' ? [] : key)),
    outcome: {
      remove: keysOf('due').map(({ key }) => key),
      keep: keysOf('retiring').map(({ key, retiresAt }) => present({ key, retiresAt })),
    },
  };
}

export type Removed =
  | { readonly refusal: 'only_key' | 'signs' | 'signs_soon' | 'signs_still' | 'undated' }
  | {
      readonly key: KeyRecord;
      /** Its record stays, marked as ended. */
      readonly stays?: true;
    };

/** Removes a key before its time; refused if no other key could sign. */
export function removed(keys: Keys, rules: KeyRules, gone: KeyRecord, now: Instant): Step<Removed> {
  const state = keyStates(keys, rules, now).find(({ key }) => key.kid === gone.kid);
  // Another command was faster.
  if (state === undefined) return { after: keys, outcome: { key: gone } };
  const { key, status } = state;
  const { waiting } = lineAt(keys, rules, now);
  const refusal = refusalOf(keys, rules, state, now);
  if (refusal !== undefined) return { after: keys, outcome: { refusal } };
  const rest = keys.filter((one) => one !== key);
  if (rules.kind === 'token_key' && status === 'retiring') {
    const ended = { ...key, ended: true } as KeyRecord;
    return { after: [...rest, ended], outcome: { key, stays: true } };
  }
  const next = status === 'signing' ? waiting[0] : undefined;
  // A key before the removed one would sign until the next key begins.
  const left = rest.map((one) => (one === next ? { ...one, signsFrom: now } : one));
  return { after: left, outcome: { key } };
}

function refusalOf(
  keys: Keys,
  rules: KeyRules,
  { key, status, retiresAt }: KeyState,
  now: Instant,
): Extract<Removed, { readonly refusal: unknown }>['refusal'] | undefined {
  const isToken = rules.kind === 'token_key';
  if (!isToken && rules.algorithm === undefined) {
    // Until a server has started that no longer signs, an older one may sign with it.
    const isUnused = rules.kind === 'identity_key' && status === 'ahead';
    return retiresAt === undefined && !isUnused ? 'undated' : undefined;
  }
  if (keys.length < 2) return 'only_key';
  const { signer, waiting } = lineAt(keys, rules, now);
  if (status === 'signing') {
    if (waiting.length === 0) return 'signs';
    return leads[rules.kind] > 0 ? 'signs_still' : undefined;
  }
  // A server that has not restarted since the change of algorithm may sign with any other key.
  if (signer === undefined && status !== 'ahead') return 'signs';
  const isSoon = (key.signsFrom ?? 0) <= after(now, removalLead);
  return isToken && status === 'waiting' && isSoon ? 'signs_soon' : undefined;
}
