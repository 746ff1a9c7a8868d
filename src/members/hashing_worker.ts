// Owns the inside of a hashing thread: one hash after another, at a low priority. The executable
// carries it as an asset (scripts/build.ts).

import { argon2Sync, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

import { compareSync } from 'bcryptjs';

import { type HashCost, makeHash } from './make_hash.ts';
import { type PasswordHash, readHash } from './password_hash.ts';

/** The task of a thread, which has one task at a time. */
export type HashingTask =
  | { readonly verb: 'make'; readonly password: string; readonly cost: HashCost }
  | { readonly verb: 'check'; readonly password: string; readonly hash: string };

/** A hash that was made, or whether the password matches; or the name of an error. */
export type HashingAnswer = { readonly result: string | boolean } | { readonly trouble: string };

/** By how much the priority is lowered: beside busy threads of the usual priority it has a quarter of a core. */
const niceness = 5;

/**
 * Lets token requests go first (FAULTS 22). On Linux each thread has a priority of its own, and
 * lowering it takes no privilege. Elsewhere, and where it fails, the thread keeps the usual priority.
 */
function lowerPriority(): void {
  try {
    const [pid, , thread] = readlinkSync('/proc/thread-self').split('/').map(Number);
    // A /proc of another PID namespace gives numbers of other processes.
    if (pid !== process.pid || thread === undefined) return;
    const lower = getPriority(thread) + niceness;
    setPriority(thread, Math.min(lower, constants.priority.PRIORITY_LOW));
  } catch {
    // The usual priority stays.
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

/** Whether the hash was made of the password; throws where the text is no hash. Takes 25 ms or more. */
function isMadeOf(password: string, text: string): boolean {
  const hash = readHash(text);
  if (hash === undefined) throw new Error('this is no password hash that is understood');
  if (hash.scheme === 'bcrypt') return compareSync(password, hash.text) && fitsBcrypt(password);
  return timingSafeEqual(tagOf(password, hash), hash.tag);
}

/** Bytes of a password that bcrypt reads; it stops at a NUL as well. */
const longestForBcrypt = 72;

/** HOSTILE 71: bytes that bcrypt did not check must not become part of a password that is hashed anew. */
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
