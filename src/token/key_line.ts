// Owns the line of a programme's keys of one use: which key signs, which waits, and when the last token
// of each has expired. All of it follows from the keys' beginnings, the longest lifetimes that they
// have signed for, and marks. It reads no store and makes no key.

import { after, type Instant, later, milliseconds } from '../lib/clock.ts';
import { present } from '../lib/present.ts';
import type { KeyRecord, SigningAlgorithm } from '../oauth/signing_key.ts';
import type { KeyRules } from './key_rules.ts';

/** `ahead`: published, with an algorithm that the programme does not sign with yet. */
export type KeyStatus = 'signing' | 'waiting' | 'ahead' | 'retiring' | 'due';

export interface KeyState {
  readonly key: KeyRecord;
  readonly status: KeyStatus;
  /** All tokens of the key, and of those before it, have expired by then; absent until that is known. */
  readonly retiresAt?: Instant;
}

export function keyStates(
  keys: readonly KeyRecord[],
  rules: KeyRules,
  now: Instant,
): readonly KeyState[] {
  const { signer, waiting } = lineAt(keys, rules, now);
  return keys.map((key): KeyState => {
    if (key === signer) return { key, status: 'signing' };
    if (waiting.includes(key)) return { key, status: 'waiting' };
    const line = lineOf(keys, key.algorithm);
    const retiresAt = endOf(line, key, rules);
    if (retiresAt === undefined) {
      const isAhead = key.signsFrom === undefined && key.algorithm !== rules.algorithm;
      return { key, status: isAhead ? 'ahead' : 'retiring' };
    }
    // The ends of the keys before it follow from its beginning: it stays as long as they do.
    const before = line.slice(0, line.indexOf(key)).map((one) => endOf(line, one, rules));
    const last = before.reduce<Instant>((latest, end = latest) => later(latest, end), retiresAt);
    return { key, status: last <= now ? 'due' : 'retiring', retiresAt: last };
  });
}

/** Keys of an algorithm in the order in which they sign; keys without `signsFrom` come last. */
export function lineOf<Key extends KeyRecord>(
  keys: readonly Key[],
  algorithm: SigningAlgorithm | undefined,
): readonly Key[] {
  // Infinity would not do: Infinity − Infinity is NaN.
  const beginning = (key: Key): number => key.signsFrom ?? Number.MAX_VALUE;
  return keys
    .filter((key) => key.algorithm === algorithm)
    .toSorted((one, other) => beginning(one) - beginning(other));
}

/** The key that signs now, as in a running server, and those that sign after it. */
export function lineAt<Key extends KeyRecord>(
  keys: readonly Key[],
  { algorithm }: KeyRules,
  now: Instant,
): { readonly signer: Key | undefined; readonly waiting: readonly Key[] } {
  const line = lineOf(keys, algorithm);
  const signer = signerAt(line, now);
  return { signer, waiting: signer === undefined ? [] : line.slice(line.indexOf(signer) + 1) };
}

/** Of a line: the latest key whose time has come; the first key if the clock is behind all of them. */
export function signerAt<Key extends { readonly signsFrom?: Instant | undefined }>(
  line: readonly Key[],
  now: Instant,
): Key | undefined {
  return line.findLast(({ signsFrom = Infinity }) => signsFrom <= now) ?? line[0];
}

/**
 * When the last token of a key expires, by its place in the line; undefined while that is not known.
 * @param rules of which the longest token counts for a key that no server has taken up since earlier
 * versions
 */
export function endOf(
  line: readonly KeyRecord[],
  key: KeyRecord,
  rules: Pick<KeyRules, 'longestToken'>,
): Instant | undefined {
  const { longestToken = rules.longestToken, signedUntil, retiresAt } = key;
  const closesAt = line[line.indexOf(key) + 1]?.signsFrom ?? signedUntil;
  const end = closesAt === undefined ? undefined : after(closesAt, longestToken);
  return end === undefined || retiresAt === undefined ? (end ?? retiresAt) : later(end, retiresAt);
}

/**
 * The keys as a server that signs by these rules takes them up: each key that may still sign lasts for
 * its longest token, the signer has a beginning, and no mark says that signing has ended. Keys that need
 * no change are the same objects.
 */
export function takenUp<Key extends KeyRecord>(
  keys: readonly Key[],
  rules: KeyRules,
  now: Instant,
): readonly Key[] {
  const line = lineOf(keys, rules.algorithm);
  const signer = signerAt(line, now);
  return keys.map((key) => {
    const next = line[line.indexOf(key) + 1];
    const isOver = next !== undefined && (next.signsFrom ?? Infinity) <= now;
    if (key.algorithm !== rules.algorithm || isOver) return key;
    const { longestToken = 0, retiresAt } = key;
    const taken = {
      ...key,
      longestToken: milliseconds(Math.max(longestToken, rules.longestToken)),
      signsFrom: key.signsFrom ?? (key === signer ? now : undefined),
      signedUntil: undefined,
      // An end that an earlier version stored for a key with a successor still counts.
      retiresAt: next === undefined ? undefined : retiresAt,
    };
    const names = ['longestToken', 'signsFrom', 'signedUntil', 'retiresAt'] as const;
    return names.every((name) => taken[name] === key[name])
      ? key
      : (present(taken) as unknown as Key);
  });
}

/** Marks the last key of each line of which `isOver` is true: no server signs with it any more. */
export function marked<Key extends KeyRecord>(
  keys: readonly Key[],
  rules: KeyRules,
  now: Instant,
  isOver: (key: Key) => boolean,
): readonly Key[] {
  return keys.map((key) => {
    const isKnown = endOf(lineOf(keys, key.algorithm), key, rules) !== undefined;
    return isKnown || !isOver(key) ? key : { ...key, signedUntil: now };
  });
}
