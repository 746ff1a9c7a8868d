// Owns how many password hashes are made at once in this process; not how one is made.

import { availableParallelism } from 'node:os';

import { createGate, type GateLimits, GateFull } from '../lib/gate.ts';
import { Unavailable } from '../oauth/failure.ts';

/** Threads that node has for hashes, and for files and names beside them. */
const poolSize = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);

/**
 * A hash has a core for itself for some 25 ms, in a thread of node's pool. One core stays with the
 * event loop, which answers token requests, and one thread with whatever else wants one (FAULTS
 * 22). Who waits behind a hundred others waits some seconds; more than that is sent away at once.
 */
export function hashingLimits(cores: number, threads: number): GateLimits {
  const atOnce = Math.max(1, Math.min(cores, threads) - 1);
  return { atOnce, waiting: 100 * atOnce };
}

const gate = createGate(hashingLimits(availableParallelism(), poolSize));

/** Makes a hash when it is its turn; rejects with `Unavailable` when too many wait already. */
export async function hashing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await gate(work);
  } catch (error) {
    if (error instanceof GateFull) throw new Unavailable('too many passwords to be hashed at once');
    throw error;
  }
}
