// Owns how many password hashes are made at once in this process; not how one is made.

import { availableParallelism } from 'node:os';

import { type Admission, createGate, type GateLimits, GateFull } from '../lib/gate.ts';
import { Overloaded, Unavailable } from '../oauth/failure.ts';

/** Some 250 logins a second, and 30 MB each. */
const mostAtOnce = 8;

/**
 * A hash has a core for itself for some 25 ms, in a thread of its own. One core stays with the event
 * loop, which answers token requests (FAULTS 22). Who waits behind a hundred others waits some
 * seconds; of more than that the latest turn is sent away at once.
 */
export function hashingLimits(cores: number): GateLimits {
  const atOnce = Math.max(1, Math.min(cores - 1, mostAtOnce));
  return { atOnce, waiting: 100 * atOnce };
}

const limits = hashingLimits(availableParallelism());
const gate = createGate(limits);

/** File descriptors that hashing may come to need: six for each thread. */
export const hashingDescriptors: number = 6 * limits.atOnce;

/**
 * Makes a hash when it is its turn; rejects with `Unavailable` when too many wait already, and with
 * the signal's reason when nobody waits for it any more before it was begun.
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

/** Begins no hash any more, in this process: whoever waits for one is told so. */
export function closeHashing(): void {
  gate.close(new Unavailable('passwords are not hashed any more: the server is stopping'));
}
