// Owns the time at which a server starts beside what its store has recorded.

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

/** Uptimes may be this coarse: to catch up with every one of them would put the clock ahead bit by bit. */
const uptimeStep = milliseconds(1000);

/**
 * The clock to serve by. With `accept` the machine's time is taken as it is, and whatever was issued
 * later than now ends.
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
  // Those that are running go on by what the store's time is by now, and are to follow.
  const isApart = Math.abs(now - (current ?? now)) > allowedDrift;
  if (accept && (now < recorded || isApart)) {
    await store.acceptTime(now);
    return clock;
  }
  if (now >= recorded) {
    if (now - recorded > longGap) log.error('clock_gap', { detail: gapDetail(now, recorded) });
    return clock;
  }
  if (recorded <= after(now, allowedDrift)) {
    clock.catchUp(recorded);
    return clock;
  }
  throw new CommandError(
    exitCodes.store,
    `the machine's clock says ${dateText(now)}, but ${store.path} has recorded ${dateText(recorded)}: set the clock right; if the recorded time was wrong, start once with serve --accept-clock, which ends what was issued later than now`,
  );
}

function gapDetail(now: Instant, recorded: Instant): string {
  return `the machine's clock says ${dateText(now)}, the store last recorded ${dateText(recorded)}: if the clock is wrong, stop the server and set it right within the hour; until then nothing is purged`;
}

/**
 * The clock for a command: the store's own time where that is known, whatever the command's clock
 * says, so that no date that it writes is of another clock than the servers' (FAULTS 28).
 */
export async function storeClock(store: Keeping, clock: SystemClock): Promise<SystemClock> {
  const current = await store.currentTime();
  if (current !== undefined) clock.set(current);
  // No server has run since the machine was started: none is ahead of what is recorded.
  else clock.catchUp((await store.recordedTime()) ?? clock.now());
  return clock;
}

/** The time that the servers of one store go by. */
export interface SharedTime {
  /** Records the time, catches up with what another server has recorded, follows one that accepted it. */
  readonly keep: () => Promise<void>;
  /** Follows the machine's clock from now on, backwards too (SIGUSR2). */
  readonly accept: () => Promise<void>;
}

/**
 * Servers started before and after a small step of the machine's clock would judge one another's
 * expiry and grace windows by it: all go by the latest (FAULTS 12). One that is far ahead is wrong,
 * and followed by nobody.
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
  // Serialised: a `keep` between the two steps of `accept` would catch up with the time that is left.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (task: () => Promise<void>) => (): Promise<void> => {
    const done = last.then(task);
    last = done.catch(() => undefined);
    return done;
  };
  return { keep: inTurn(keep), accept: inTurn(accept) };
}
