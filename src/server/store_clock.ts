// Owns the clocks of servers and commands, which follow the store's clock and its recorded time.

import type { Log } from '../engine/service.ts';
import {
  after,
  allowedDrift,
  type Instant,
  longGap,
  milliseconds,
  type SystemClock,
} from '../lib/clock.ts';
import { dateText } from '../lib/duration.ts';
import type { Programme } from '../programme/programme.ts';
import type { Keeping } from '../store/keeping.ts';
import { storeUnusable } from './exit.ts';

/** Resolution of uptime: following each finer difference would advance the clock bit by bit. */
const uptimeStep = milliseconds(1000);

interface ClockedStore {
  readonly store: Keeping;
  readonly clock: SystemClock;
}

/**
 * The clock of a server. With `accept` it is the wall clock's, and everything issued later than now
 * becomes invalid.
 * @throws CommandError for a clock behind the recorded time (FAULTS 10).
 */
export async function clockBeside(
  { store, clock }: ClockedStore,
  storeName: string,
  accept: boolean,
  log: Log,
): Promise<SystemClock> {
  const now = clock.now();
  const { recorded, current } = await store.time();
  if (recorded === undefined) return clock;
  // Running servers use the store's current time; they have to follow this one.
  const isApart = Math.abs(now - (current ?? now)) > allowedDrift;
  if (accept && (now < recorded || isApart)) {
    await store.acceptTime(now);
  } else if (now >= recorded) {
    if (now - recorded > longGap) {
      log.error('clock_gap', {
        detail: `${wallName(store)} says ${dateText(now)}, the store last recorded ${dateText(recorded)}: if the clock is wrong, stop the server and set it right within the hour; until then nothing is purged`,
      });
    }
  } else if (recorded <= after(now, allowedDrift)) {
    clock.catchUp(recorded);
  } else {
    throw storeUnusable(
      `${wallName(store)} says ${dateText(now)}, but ${storeName} has recorded ${dateText(recorded)}: set the clock right; if the recorded time was wrong, start once with serve --accept-clock, which ends codes and tokens without a login that were issued later than now`,
    );
  }
  return clock;
}

/** How messages name the clock that a service is held against. */
export function wallName({ wall }: Keeping): string {
  return wall === undefined ? "the machine's clock" : "the database's clock";
}

/** Where a service's clock is apart from others, in words; empty where it is not. */
export function clockTroubles({ store, clock }: ClockedStore): readonly string[] {
  const own = clock.now();
  const clocks = [[wallName(store), clock.drift()] as const];
  // Certificates and lines of the log go by it.
  if (store.wall !== undefined) clocks.push(["the machine's clock", Date.now() - own]);
  return clocks
    .filter(([, drift]) => Math.abs(drift) > allowedDrift)
    .map(([name, drift]) => `${name} is ${Math.round(drift / 1000)} s from the service's`);
}

/**
 * The programmes whose tokens have expired at others as soon as they are issued: at verifiers that hold a
 * key set, and at the other servers of a store across a network (FAULTS 34). Whether the service's clock or
 * the other one is wrong, only an operator can tell.
 */
export function bornExpired(
  { store, clock }: ClockedStore,
  programmes: Iterable<Programme>,
): readonly string[] {
  const behind = clock.drift();
  if (behind <= allowedDrift) return [];
  const names = [...programmes]
    .filter(({ signsTokens }) => signsTokens || store.wall !== undefined)
    .filter(({ access }) => behind >= Math.min(...Object.values(access.lifetimes)))
    .map(({ id }) => id);
  if (names.length === 0) return [];
  const wall = wallName(store);
  return [
    `tokens of ${names.join(', ')} have expired by ${wall} when they are issued: if ${wall} is right, make the service follow it (SIGUSR2, or a restart); if not, set it right`,
  ];
}

/**
 * The clock of a command: the store's current time, if it is known, else the machine's, so that
 * commands and servers date by one clock (FAULTS 28).
 */
export async function storeClock(store: Keeping, clock: SystemClock): Promise<SystemClock> {
  const { recorded, current } = await store.time();
  if (current !== undefined) clock.set(current);
  // No server has run since the machine was started: none is ahead of the recorded time.
  else clock.catchUp(recorded ?? clock.now());
  return clock;
}

export interface SharedTime {
  /** Records the time; follows a time that another server has recorded or accepted. */
  readonly keep: () => Promise<void>;
  /** Follows the wall clock from now on, backwards too (SIGUSR2). */
  readonly accept: () => Promise<void>;
}

/**
 * All servers use the latest clock, and where the store has a clock of its own they follow that: otherwise servers started before and after a small step of the
 * machine's clock would judge each other's expiry and grace windows wrongly (FAULTS 12). No server
 * follows a clock that is far ahead, since that clock is wrong.
 */
export function sharedTime({ store, clock }: ClockedStore, log: Log): SharedTime {
  const follow = async (time: Instant): Promise<void> => {
    clock.set(time);
    await store.acceptTime(clock.now(), 'another_process');
    log.error('clock_accepted', {
      detail: `the service follows another server of its store to ${dateText(clock.now())}, the time that was accepted there; codes and tokens without a login that were issued later have ended`,
    });
  };
  const keep = async (): Promise<void> => {
    const before = await store.time();
    const { acceptedElsewhere } = before;
    if (acceptedElsewhere !== undefined) await follow(before.current ?? acceptedElsewhere);
    const { recorded, current } = await store.time(clock.now());
    const isBehind = current !== undefined && current > after(clock.now(), uptimeStep);
    const latest = isBehind ? current : recorded;
    if (latest !== undefined && latest <= after(clock.now(), allowedDrift)) clock.catchUp(latest);
    if (store.wall !== undefined) clock.follow();
  };
  const accept = async (): Promise<void> => {
    clock.accept();
    await store.acceptTime(clock.now());
  };
  // Serialised: a `keep` between `clock.accept()` and `acceptTime()` would move the clock forward again
  // to the recorded time.
  let last: Promise<unknown> = Promise.resolve();
  const serialised = (task: () => Promise<void>) => (): Promise<void> => {
    const done = last.then(task);
    last = done.catch(() => undefined);
    return done;
  };
  return { keep: serialised(keep), accept: serialised(accept) };
}
