// Owns what a running server does between requests: sweeping, following key changes, watching time.

import type { Log, Service } from '../engine/service.ts';
import type { SystemClock } from '../lib/clock.ts';
import type { Store } from '../store/contract.ts';

export interface Household {
  readonly store: Store;
  readonly clock: SystemClock;
  readonly services: readonly Service[];
  readonly log: Log;
}

/** A round a second; few rows a round, so that sweeping never stalls a request. */
const roundInterval = 1000;
const rowsPerRound = 500;
/** The wall clock may leave ours this far before operators are told. */
const allowedDrift = 60_000;

/** Keeps house until the returned function is called. */
export function keepHouse(household: Household): () => void {
  const chores = [sweeping(household), followingKeys(household), recordingTime(household)];
  const watch = watchingClock(household);
  const attempt = async (chore: () => Promise<unknown>): Promise<void> => {
    try {
      await chore();
    } catch (error) {
      household.log.error('housekeeping_failed', { detail: String(error) });
    }
  };
  const timer = setInterval(() => {
    watch();
    for (const chore of chores) void attempt(chore);
  }, roundInterval);
  return () => clearInterval(timer);
}

function sweeping({ store, clock }: Household): () => Promise<unknown> {
  return () => store.sweep(clock.now(), rowsPerRound);
}

function recordingTime({ store, clock }: Household): () => Promise<unknown> {
  return () => store.recordTime(clock.now());
}

/** Keys made, told to sign or retired by a command count here within a round. */
function followingKeys({ store, services }: Household): () => Promise<unknown> {
  let known: number | undefined;
  return async () => {
    const epoch = await store.signingKeyEpoch();
    if (epoch === known) return;
    known = epoch;
    await Promise.all(services.flatMap(({ keys }) => (keys === undefined ? [] : [keys.reload()])));
  };
}

/** Tells once of each jump, and again when it is over; expiry goes on by our own clock. */
function watchingClock({ clock, log }: Household): () => void {
  let told = false;
  return () => {
    const drift = clock.drift();
    const jumped = Math.abs(drift) > allowedDrift;
    if (jumped === told) return;
    told = jumped;
    const seconds = String(Math.round(drift / 1000));
    const detail = jumped
      ? `the machine's clock is ${seconds} s from the service's, which goes on by its own: mend the machine's clock, or make the service follow it with SIGUSR2 or a restart`
      : "the machine's clock agrees with the service's again";
    log.error('clock_jump', { seconds, detail });
  };
}
