// Owns the limit on concurrent password hashes in this process.

import { type Admission, createGate, type GateLimits, GateFull } from '../lib/gate.ts';
import { ownCores } from '../lib/machine.ts';
import { counters, gauge, histograms, usualTimes } from '../lib/metrics/families.ts';
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

const limits = hashingLimits(ownCores());
const gate = createGate(limits);

gauge('jetway_hash_queue_length', 'Passwords that wait to be hashed.', () => gate.waiting(), 'sum');
const waits = histograms(
  'jetway_hash_wait_seconds',
  'Time that passwords waited to be hashed.',
  usualTimes,
)();
const times = histograms('jetway_hash_duration_seconds', 'Time that hashing took.', usualTimes)();
const refusals = counters(
  'jetway_hash_refusals_total',
  'Logins refused because too many passwords waited to be hashed.',
)();

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
  const asked = performance.now();
  const timed = async (): Promise<Result> => {
    const begun = performance.now();
    waits.observe((begun - asked) / 1000);
    try {
      return await work();
    } finally {
      times.observe((performance.now() - begun) / 1000);
    }
  };
  try {
    return await gate.pass(timed, admission);
  } catch (error) {
    if (!(error instanceof GateFull)) throw error;
    refusals.add();
    throw new Overloaded('too many passwords to be hashed at once');
  }
}

/** From now on waiting and new work rejects. */
export function closeHashing(): void {
  gate.close(new Unavailable('passwords are not hashed any more: the server is stopping'));
}
