// Owns what a running server does between requests: looking at its store, sweeping, following key
// changes, watching time.

import type { Log, Service } from '../../engine/service.ts';
import { allowedDrift, type SystemClock } from '../../lib/clock.ts';
import type { Store } from '../../store/contract.ts';
import type { NodeNumber } from './node_number.ts';

export interface Household {
  readonly store: Store;
  readonly clock: SystemClock;
  readonly services: readonly Service[];
  readonly log: Log;
  /** Records the time, and keeps to that of the store's other servers. */
  readonly keepTime: () => Promise<void>;
  /** Absent where the process is alone with its store. */
  readonly node?: NodeNumber;
  /** Called first in every round: a look at the store. */
  readonly look?: () => void;
}

/** A round a second; few rows a step, so that sweeping never stalls a request. */
const roundInterval = 1000;
const rowsPerStep = 500;
const stepsPerRound = 20;

type Chore = () => Promise<unknown>;

/** Keeps house until the returned function is called. */
export function keepHouse(household: Household): () => void {
  const { keepTime, node, look, log } = household;
  const chores: readonly Chore[] = [
    async () => look?.(),
    sweeping(household),
    followingKeys(household),
    keepTime,
    ...(node === undefined ? [] : [node.renew]),
  ].map((chore) => guarded(chore, log));
  const watch = watchingClock(household);
  const timer = setInterval(() => {
    watch();
    for (const chore of chores) void chore();
  }, roundInterval);
  return () => clearInterval(timer);
}

/** A chore that never fails, nor runs twice at a time; what ails it is told once, until it is well again. */
function guarded(chore: Chore, log: Log): Chore {
  let isUnderWay = false;
  let told: string | undefined;
  return async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      await chore();
      told = undefined;
    } catch (error) {
      const detail = String(error);
      if (detail !== told) log.error('housekeeping_failed', { detail });
      told = detail;
    } finally {
      isUnderWay = false;
    }
  };
}

/** Steps on while there is much to forget; requests come between the steps. */
function sweeping({ store, clock }: Household): Chore {
  return async () => {
    for (let step = 0; step < stepsPerRound; step += 1) {
      const removed = await store.sweep(clock.now(), rowsPerStep);
      if (removed < rowsPerStep) return;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  };
}

/** Keys made, told to sign or retired by a command count here within a round. */
function followingKeys({ store, services }: Household): Chore {
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
