// Owns making argon2id hashes and checking passwords. password_hash.ts reads other hashes.

import type { Admission } from '../lib/gate.ts';
import { randomBytes } from '../lib/random.ts';
import { closeHashing, hashing } from './hashing.ts';
import { createHashingThreads } from './hashing_threads.ts';
import { type HashCost, makeHash } from './make_hash.ts';
import { argon2Prefix, formatArgon2, readHash } from './password_hash.ts';

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const usualCost: HashCost = { memory: 19_456, passes: 2 };

/** The cost for passwords as random as keys, which nobody can guess. */
const randomPasswordCost: HashCost = { memory: 64, passes: 1 };

/** Longer than any passphrase; bounds the work of a hash. */
export const longestPassword = 1024;

/** Milliseconds: after a longer wait, starting a thread costs less than keeping it. */
const threadPatience = 60_000;

const threads = createHashingThreads(threadPatience);

/** Rejects with `Unavailable` if too many wait, or hashing fails. */
export async function hashPassword(password: string): Promise<string> {
  const task = { verb: 'make', password: normalise(password), cost: usualCost } as const;
  return String(await hashing(() => threads.run(task)));
}

/** The hash of a password as random as a key, made on this thread: it takes 0.1 ms. */
export function hashRandomPassword(password: string): string {
  return makeHash(normalise(password), randomPasswordCost);
}

/** A random hash of the usual cost that no password matches. */
export function hashOfNobody(): string {
  const [salt, tag] = [randomBytes(16), randomBytes(32)];
  return formatArgon2({ algorithm: 'argon2id', parallelism: 1, ...usualCost, salt, tag });
}

/** Throws if the text is no hash. A check that has begun goes on if its caller hangs up. */
export async function checkPassword(
  password: string,
  hash: string,
  admission?: Admission,
): Promise<boolean> {
  if (readHash(hash) === undefined) throw new Error('this is no password hash that is understood');
  const task = { verb: 'check', password: normalise(password), hash } as const;
  return (await hashing(() => threads.run(task), admission)) === true;
}

/**
 * Before the process ends within `span` milliseconds: hashes may begin during the first half; then
 * waiting hashes reject with `Unavailable`, and shortly before the end running ones too.
 */
export function endHashing(span: number): void {
  setTimeout(closeHashing, span / 2).unref();
  setTimeout(threads.end, span * 0.8).unref();
}

/** Whether a hash has the current cost; other hashes are renewed at the next login. */
export function isUpToDate(hash: string): boolean {
  return [usualCost, randomPasswordCost].some((cost) =>
    hash.startsWith(argon2Prefix({ algorithm: 'argon2id', parallelism: 1, ...cost })),
  );
}

/** RFC 8265 4.2: one password typed on two keyboards must give one text. */
function normalise(password: string): string {
  return password.normalize('NFC');
}
