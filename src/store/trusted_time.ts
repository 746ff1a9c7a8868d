// Owns the time up to which a sweep believes the clock.

import { type Instant, longGap, milliseconds } from '../lib/clock.ts';

/** An operator can correct the clock before the sweep removes rows (FAULTS 11). */
const timeToMend = milliseconds(3_600_000);

/** `recorded` is the time that the store had recorded when it was opened, if any. */
export function trustedTime(recorded: Instant | undefined): (now: Instant) => Instant {
  let begun: Instant | undefined;
  return (now) => {
    // A clock that was set back since begins anew: its hour would else last as long as it was ahead.
    if (begun === undefined || now < begun) begun = now;
    const isDoubtful = recorded !== undefined && begun - recorded > longGap;
    return isDoubtful && now - begun < timeToMend ? recorded : now;
  };
}
