// Owns the time at which a server starts beside what its store has recorded.

import type { Log } from '../engine/service.ts';
import { after, type Instant, milliseconds, type SystemClock, systemClock } from '../lib/clock.ts';
import type { FileStore } from '../store/file.ts';
import { dateText } from './dates.ts';
import { CommandError, exitCodes } from './exit.ts';
import type { OpenStore } from './workplace.ts';

/** So far a clock may be set back without a report (DESIGN, "Semantics"); a start goes on at the recorded time. */
const allowedGap = milliseconds(60_000);
/** From here on a start doubts its clock: the store purges nothing for an hour. */
const longGap = milliseconds(36 * 3_600_000);

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
  if (now >= recorded) {
    if (now - recorded > longGap) log.error('clock_gap', { detail: gapDetail(now, recorded) });
    return clock;
  }
  if (accept) {
    await store.acceptTime(now);
    return clock;
  }
  if (recorded <= after(now, allowedGap)) return systemClock(Date.now, recorded);
  throw new CommandError(
    exitCodes.store,
    `the machine's clock says ${dateText(now)}, but ${store.path} has recorded ${dateText(recorded)}: set the clock right; if the recorded time was wrong, start once with serve --accept-clock, which ends what was issued later than now`,
  );
}

function gapDetail(now: Instant, recorded: Instant): string {
  return `the machine's clock says ${dateText(now)}, the store last recorded ${dateText(recorded)}: if the clock is wrong, stop the server and set it right within the hour; until then nothing is purged`;
}

/** The time that the servers of one store go by. */
export interface SharedTime {
  /** Records the time, and catches up with what another server has recorded. */
  readonly keep: () => Promise<void>;
  /** Follows the machine's clock from now on, backwards too (SIGUSR2). */
  readonly accept: () => Promise<void>;
}

/**
 * Servers started before and after a small step of the machine's clock would judge one another's
 * expiry and grace windows by it: all go by the latest (FAULTS 12). One that is far ahead is wrong,
 * and followed by nobody.
 */
export function sharedTime({
  store,
  file,
  clock,
}: Pick<OpenStore, 'store' | 'file' | 'clock'>): SharedTime {
  const keep = async (): Promise<void> => {
    await store.recordTime(clock.now());
    const recorded = await store.recordedTime();
    if (recorded !== undefined && recorded <= after(clock.now(), allowedGap)) {
      clock.catchUp(recorded);
    }
  };
  const accept = async (): Promise<void> => {
    clock.accept();
    const recorded = await file?.recordedTime();
    if (recorded !== undefined && clock.now() < recorded) await file?.acceptTime(clock.now());
  };
  // In between, a round would catch up with the very time that is to be left.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (task: () => Promise<void>) => (): Promise<void> => {
    const done = last.then(task);
    last = done.catch(() => undefined);
    return done;
  };
  return { keep: inTurn(keep), accept: inTurn(accept) };
}
