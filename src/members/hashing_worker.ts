// Owns the code of a hashing thread: one hash at a time, at low priority. The executable contains
// it as an asset (scripts/build.ts).

import { argon2Sync, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

import { compareSync } from 'bcryptjs';

import { type HashCost, makeHash } from './make_hash.ts';
import { type PasswordHash, readHash } from './password_hash.ts';

export type HashingTask =
  | { readonly verb: 'make'; readonly password: string; readonly cost: HashCost }
  | { readonly verb: 'check'; readonly password: string; readonly hash: string };

/** The hash, or whether the password matches; or the name of an error. */
export type HashingAnswer = { readonly result: string | boolean } | { readonly trouble: string };

/** At this priority, beside busy threads of normal priority, hashing gets a quarter of a core. */
const niceness = 5;

/**
 * Lets token requests go first (FAULTS 22). On Linux each thread has its own priority, and lowering
 * it needs no privilege. Elsewhere, or if it fails, the priority stays normal.
 */
function lowerPriority(): void {
  try {
    const [pid, , thread] = readlinkSync('/proc/thread-self').split('/').map(Number);
    // In another PID namespace, /proc shows numbers of other processes.
    if (pid !== process.pid || thread === undefined) return;
    const lower = getPriority(thread) + niceness;
    setPriority(thread, Math.min(lower, constants.priority.PRIORITY_LOW));
  } catch {
    // The priority stays normal.
  }
}

function answerTo(task: HashingTask): HashingAnswer {
  try {
    const { password } = task;
    const result =
      task.verb === 'make' ? makeHash(password, task.cost) : isMadeOf(password, task.hash);
    return { result };
  } catch (error) {
    // Without the message: Node's messages quote their argument, which may be the password.
    const { name, code } = error as NodeJS.ErrnoException;
    return { trouble: code ?? name };
  }
}

/** Throws if the text is no hash. Takes 25 ms or more. */
function isMadeOf(password: string, text: string): boolean {
  const hash = readHash(text);
  if (hash === undefined) throw new Error('this is no password hash that is understood');
  if (hash.scheme === 'bcrypt') return compareSync(password, hash.text) && fitsBcrypt(password);
  return timingSafeEqual(tagOf(password, hash), hash.tag);
}

/** bcrypt reads at most this many bytes of a password; it also stops at a NUL. */
const longestForBcrypt = 72;

/** HOSTILE 71: bytes that bcrypt did not check must not become part of a new hash. */
function fitsBcrypt(password: string): boolean {
  return Buffer.byteLength(password) <= longestForBcrypt && !password.includes('\0');
}

function tagOf(password: string, hash: Exclude<PasswordHash, { scheme: 'bcrypt' }>): Buffer {
  const { salt, tag } = hash;
  if (hash.scheme === 'pbkdf2') {
    return pbkdf2Sync(password, salt, hash.iterations, tag.length, hash.algorithm);
  }
  const { algorithm, memory, passes, parallelism } = hash;
  const settings = { memory, passes, parallelism, tagLength: tag.length };
  return argon2Sync(algorithm, { message: password, nonce: salt, ...settings });
}

lowerPriority();
parentPort?.on('message', (task: HashingTask) => {
  parentPort?.postMessage(answerTo(task), []);
});
