// Owns time: the branded units every module measures in, and the clock they are read from.

/** A point in time, in whole milliseconds since the Unix epoch. */
export type Instant = number & { readonly __brand: 'Instant' };

/** A length of time, in milliseconds. */
export type Milliseconds = number & { readonly __brand: 'Milliseconds' };

/** A length of time, in whole seconds, as OAuth's wire formats count. */
export type Seconds = number & { readonly __brand: 'Seconds' };

/** Where the time comes from; tests set their own. */
export interface Clock {
  now(): Instant;
}

/** Clocks that are apart by no more than this are taken for one clock (DESIGN, "Semantics"). */
export const allowedDrift = milliseconds(60_000);

/** A start this long after the recorded time doubts its clock, and purges nothing for an hour (FAULTS 11). */
export const longGap = milliseconds(36 * 3_600_000);

export function instant(milliseconds: number): Instant {
  return Math.floor(milliseconds) as Instant;
}

export function milliseconds(value: number): Milliseconds {
  return value as Milliseconds;
}

export function after(from: Instant, span: Milliseconds): Instant {
  return (from + span) as Instant;
}

export function earlier(a: Instant, b: Instant): Instant {
  return a < b ? a : b;
}

/** Seconds since the epoch, as JWT's NumericDate counts them. */
export function epochSeconds(at: Instant): Seconds {
  return Math.floor(at / 1000) as Seconds;
}

/** A clock that can tell when the machine's wall clock has left it. */
export interface SystemClock extends Clock {
  /** Milliseconds by which the wall clock is ahead of this one; negative when it is behind. */
  readonly drift: () => number;
  /** Takes over the wall clock's time. */
  readonly accept: () => void;
  /** Goes on at a later time; an earlier one changes nothing. */
  readonly catchUp: (to: Instant) => void;
  /** Goes on at that time, earlier or later. */
  readonly set: (to: Instant) => void;
}

/**
 * The service's clock: wall time at start plus monotonic time since, so that a jump of the wall
 * clock moves no expiry until it is accepted (DESIGN, "Semantics").
 */
export function systemClock(wall: () => number = Date.now): SystemClock {
  let [start, origin] = lookAtWall(wall);
  const now = (): Instant => instant(start + (performance.now() - origin));
  return {
    now,
    drift: () => wall() - now(),
    accept: () => {
      [start, origin] = lookAtWall(wall);
    },
    catchUp: (to) => {
      start += Math.max(0, to - now());
    },
    set: (to) => {
      start += to - now();
    },
  };
}

/** Milliseconds that two looks at clocks may be apart: nothing came between them. */
const shortLook = 1;
const mostLooks = 20;

/**
 * Wall time, and the monotonic time that it is: a process that was not let run between the two looks
 * would be behind all others of its machine for good, and what it issues dead by their revocations.
 */
function lookAtWall(wall: () => number): readonly [start: number, origin: number] {
  let best = { start: 0, origin: 0, span: Number.POSITIVE_INFINITY };
  for (let looks = 0; looks < mostLooks && best.span > shortLook; looks += 1) {
    const before = performance.now();
    const start = wall();
    const origin = performance.now();
    if (origin - before < best.span) best = { start, origin, span: origin - before };
  }
  return [best.start, best.origin];
}
