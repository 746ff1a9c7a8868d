// Owns how the clock of a server or a command starts from the store's recorded time, and how the
// servers of one store keep one time.

import type { Log } from '../../engine/service.ts';
import {
  after,
  allowedDrift,
  type Instant,
  longGap,
  milliseconds,
  type SystemClock,
} from '../../lib/clock.ts';
import type { Keeping } from '../../store/keeping.ts';
import type { FileStore } from '../../store/sqlite/store.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { dateText } from '../table.ts';

/** Uptime may be this coarse: catching up with each reading would put the clock ahead bit by bit. */
const uptimeStep = milliseconds(1000);

/**
 * The clock to serve by. With `accept` it is the machine's, and whatever was issued later than now ends.
 * @throws CommandError for a clock that is behind the recorded time (FAULTS 10).
 */
export async function clockBeside(
  store: FileStore,
  clock: SystemClock,
  accept: boolean,
  log: Log,
): Promise<SystemClock> {
  const now = clock.now();
  const recorded = await store.recordedTime();
  if (recorded === undefined) return clock;
  const current = await store.currentTime();
  // Running servers go by the store's current time; they are to follow this one.
  const isApart = Math.abs(now - (current ?? now)) > allowedDrift;
  if (accept && (now < recorded || isApart)) {
    await store.acceptTime(now);
  } else if (now >= recorded) {
    if (now - recorded > longGap) {
      log.error('clock_gap', {
        detail: `the machine's clock says ${dateText(now)}, the store last recorded ${dateText(recorded)}: if the clock is wrong, stop the server and set it right within the hour; until then nothing is purged`,
      });
    }
  } else if (recorded <= after(now, allowedDrift)) {
    clock.catchUp(recorded);
  } else {
    throw new CommandError(
      exitCodes.store,
      `the machine's clock says ${dateText(now)}, but ${store.path} has recorded ${dateText(recorded)}: set the clock right; if the recorded time was wrong, start once with serve --accept-clock, which ends what was issued later than now`,
    );
  }
  return clock;
}

/**
 * The clock for a command: the store's current time where it is known, whatever the machine's clock
 * says, so that the command's dates and the servers' are of one clock (FAULTS 28).
 */
export async function storeClock(store: Keeping, clock: SystemClock): Promise<SystemClock> {
  const current = await store.currentTime();
  if (current !== undefined) clock.set(current);
  // No server has run since the machine was started: none is ahead of the recorded time.
  else clock.catchUp((await store.recordedTime()) ?? clock.now());
  return clock;
}

/** The time that the servers of one store share. */
export interface SharedTime {
  /** Records the time; catches up with the time another server has recorded, or follows the time it accepted. */
  readonly keep: () => Promise<void>;
  /** Follows the machine's clock from now on, backwards too (SIGUSR2). */
  readonly accept: () => Promise<void>;
}

/**
 * Servers started before and after a small step of the machine's clock would judge each other's expiry
 * and grace windows by it: all go by the latest clock (FAULTS 12). A clock that is far ahead is wrong,
 * and no server follows it.
 */
export function sharedTime(
  { store, clock }: { readonly store: Keeping; readonly clock: SystemClock },
  log: Log,
): SharedTime {
  const follow = async (accepted: Instant): Promise<void> => {
    clock.set((await store.currentTime()) ?? accepted);
    await store.followTime(clock.now());
    log.error('clock_accepted', {
      detail: `the service follows another server of its store to ${dateText(clock.now())}, the time that was accepted there; what was issued later than that has ended`,
    });
  };
  const keep = async (): Promise<void> => {
    const elsewhere = await store.acceptedElsewhere();
    if (elsewhere !== undefined) await follow(elsewhere.time);
    await store.recordTime(clock.now());
    const recorded = await store.recordedTime();
    const current = await store.currentTime();
    const isBehind = current !== undefined && current > after(clock.now(), uptimeStep);
    const latest = isBehind ? current : recorded;
    if (latest !== undefined && latest <= after(clock.now(), allowedDrift)) clock.catchUp(latest);
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
