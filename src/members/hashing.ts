// Owns the limit on concurrent password hashes in this process.

import { availableParallelism } from 'node:os';

import { type Admission, createGate, type GateLimits, GateFull } from '../lib/gate.ts';
import { Overloaded, Unavailable } from '../oauth/failure.ts';

/** Some 250 logins a second; each hash takes 30 MB. */
const mostAtOnce = 8;

/**
 * A hash uses one core for some 25 ms, in its own thread. One core is left to the event loop, which
 * answers token requests (FAULTS 22). With a hundred waiting logins for each thread, a login waits
 * some seconds; further logins are refused at once.
 */
export function hashingLimits(cores: number): GateLimits {
  const atOnce = Math.max(1, Math.min(cores - 1, mostAtOnce));
  return { atOnce, waiting: 100 * atOnce };
}

const limits = hashingLimits(availableParallelism());
const gate = createGate(limits);

/** File descriptors that hashing may use: six for each thread. */
export const hashingDescriptors: number = 6 * limits.atOnce;

/**
 * Runs `work` in its turn. Rejects with `Unavailable` if too many wait already, and with the
 * signal's reason if the caller has hung up before its turn.
 */
export async function hashing<Result>(
  work: () => Promise<Result>,
  admission?: Admission,
): Promise<Result> {
  try {
    return await gate.pass(work, admission);
  } catch (error) {
    if (error instanceof GateFull) throw new Overloaded('too many passwords to be hashed at once');
    throw error;
  }
}

/** From now on waiting and new work rejects. */
export function closeHashing(): void {
  gate.close(new Unavailable('passwords are not hashed any more: the server is stopping'));
}
