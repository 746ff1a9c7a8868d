// Owns time: its branded units, and the clock.

/** A point in time, in whole milliseconds since the Unix epoch. */
export type Instant = number & { readonly __brand: 'Instant' };

/** A length of time, in milliseconds. */
export type Milliseconds = number & { readonly __brand: 'Milliseconds' };

/** A length of time, in whole seconds, as OAuth's wire formats count. */
export type Seconds = number & { readonly __brand: 'Seconds' };

/** Tells the time; tests set their own. */
export interface Clock {
  now(): Instant;
}

/** Clocks that are apart by no more than this are taken for one clock (DESIGN, "Semantics"). */
export const allowedDrift = milliseconds(60_000);

/** The most that a programme can allow for the clock of a client that signs assertions. */
export const longestTolerance = milliseconds(600_000);

/**
 * Milliseconds: an end that lies further ahead than any would by this clock is of another clock, which
 * jumped. Clocks of servers of one store are closer to each other.
 */
export const closeClocks = 5000;

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

export function later(a: Instant, b: Instant): Instant {
  return a < b ? b : a;
}

/** Seconds since the epoch, as JWT's NumericDate counts them. */
export function epochSeconds(at: Instant): Seconds {
  return Math.floor(at / 1000) as Seconds;
}

/** A clock that knows how far the machine's wall clock has drifted from it. */
export interface SystemClock extends Clock {
  /** Milliseconds by which the wall clock is ahead of this one; negative when it is behind. */
  readonly drift: () => number;
  /** Takes over the wall clock's time. */
  readonly accept: () => void;
  /** Moves the clock forward to a time; an earlier time changes nothing. */
  readonly catchUp: (to: Instant) => void;
  /** Moves the clock to a time, earlier or later. */
  readonly set: (to: Instant) => void;
  /**
   * Moves the clock towards the wall clock, unless that is too far away; never back: where it is ahead
   * it stands still for some milliseconds. To be called every second.
   */
  readonly follow: () => void;
}

/**
 * The service's clock: wall time at start plus monotonic time since, so that a jump of the wall
 * clock moves no expiry until it is accepted (DESIGN, "Semantics").
 * @param wall milliseconds since the epoch; another clock than the machine's where a store has one
 */
export function systemClock(wall: () => number = Date.now): SystemClock {
  let [start, origin] = readWall(wall);
  const raw = (): number => start + (performance.now() - origin);
  /** The clock shows no earlier time before this one has come. */
  let latest = 0;
  const now = (): Instant => instant(Math.max(latest, raw()));
  return {
    now,
    drift: () => wall() - now(),
    accept: () => {
      [start, origin] = readWall(wall);
      latest = 0;
    },
    catchUp: (to) => {
      start += Math.max(0, to - now());
    },
    set: (to) => {
      start += to - raw();
      latest = 0;
    },
    follow: () => {
      const apart = wall() - raw();
      if (Math.abs(apart) > allowedDrift) return;
      if (apart < 0) latest = Math.max(latest, raw());
      start += Math.max(apart, -mostBack);
    },
  };
}

/** Milliseconds by which a clock that is ahead goes back at once: 1 % of a second. */
const mostBack = 10;

/** Milliseconds between two readings of the monotonic clock that count as one moment. */
const oneMoment = 1;
const mostReadings = 20;

/**
 * Wall time and monotonic time of one moment. A process that was suspended between the two readings
 * would stay behind all others of its machine, and its tokens would be dead by their revocations.
 */
function readWall(wall: () => number): readonly [start: number, origin: number] {
  let best = { start: 0, origin: 0, span: Number.POSITIVE_INFINITY };
  for (let readings = 0; readings < mostReadings && best.span > oneMoment; readings += 1) {
    const before = performance.now();
    const start = wall();
    const origin = performance.now();
    if (origin - before < best.span) best = { start, origin, span: origin - before };
  }
  return [best.start, best.origin];
}
