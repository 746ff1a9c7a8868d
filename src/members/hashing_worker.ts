// Owns the inside of a hashing thread: one hash after another, after everything else that wants the
// core. The executable carries it as an asset (scripts/build.ts).

import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

import { isMadeOf } from './hash_work.ts';
import { type HashCost, makeHash } from './make_hash.ts';

/** What a thread is asked; one thing at a time. */
export type HashingTask =
  | { readonly verb: 'make'; readonly password: string; readonly cost: HashCost }
  | { readonly verb: 'check'; readonly password: string; readonly hash: string };

/** A hash that was made, or whether the password matches; or the name of what went wrong. */
export type HashingAnswer = { readonly result: string | boolean } | { readonly trouble: string };

/** How much lower its priority is: beside others that are as busy a thread has a quarter of a core. */
const niceness = 5;

/**
 * Lets token requests go first (FAULTS 22). On Linux each thread has a priority of its own, and
 * lowering it takes no privilege. Elsewhere, and where it fails, hashes are made at everybody's.
 */
function standBack(): void {
  try {
    const [pid, , thread] = readlinkSync('/proc/thread-self').split('/').map(Number);
    // In a /proc that counts otherwise than we do the number would be somebody else's.
    if (pid !== process.pid || thread === undefined) return;
    const lower = getPriority(thread) + niceness;
    setPriority(thread, Math.min(lower, constants.priority.PRIORITY_LOW));
  } catch {
    // As told above.
  }
}

function answerTo(task: HashingTask): HashingAnswer {
  try {
    const { password } = task;
    const result =
      task.verb === 'make' ? makeHash(password, task.cost) : isMadeOf(password, task.hash);
    return { result };
  } catch (error) {
    // Not its message: node's tell what they were given, and that may be the password.
    const { name, code } = error as NodeJS.ErrnoException;
    return { trouble: code ?? name };
  }
}

standBack();
parentPort?.on('message', (task: HashingTask) => {
  parentPort?.postMessage(answerTo(task), []);
});
