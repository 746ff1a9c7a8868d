// Owns how many password hashes are made at once in this process.

import { availableParallelism } from 'node:os';

import { type Admission, createGate, type GateLimits, GateFull } from '../lib/gate.ts';
import { Overloaded, Unavailable } from '../oauth/failure.ts';

/** Some 250 logins a second, and 30 MB each. */
const mostAtOnce = 8;

/**
 * A hash takes a core for some 25 ms, in a thread of its own. One core is left to the event loop, which
 * answers token requests (FAULTS 22). A login behind a hundred others for each thread waits some
 * seconds; one that comes later is refused at once.
 */
export function hashingLimits(cores: number): GateLimits {
  const atOnce = Math.max(1, Math.min(cores - 1, mostAtOnce));
  return { atOnce, waiting: 100 * atOnce };
}

const limits = hashingLimits(availableParallelism());
const gate = createGate(limits);

/** File descriptors that hashing may need: six for each thread. */
export const hashingDescriptors: number = 6 * limits.atOnce;

/**
 * Runs `work` in its turn. Rejects with `Unavailable` when too many wait already, and with the
 * signal's reason when the caller has hung up before its turn.
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

/** Begins no hash any more in this process: waiting work rejects. */
export function closeHashing(): void {
  gate.close(new Unavailable('passwords are not hashed any more: the server is stopping'));
}
