// Owns time: its branded units, and the clock.

import { uptime as secondsUp } from 'node:os';

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
  /**
   * Milliseconds for which the machine was suspended since the last call: the clock has gone on by them.
   * To be called every second.
   */
  readonly slept: () => Milliseconds;
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

/** What a `SystemClock` goes by; tests set their own. */
export interface MachineTime {
  /** Milliseconds since the epoch; another clock than the machine's where a store has one. */
  readonly wall?: (() => number) | undefined;
  /** Milliseconds since the machine was started, those included in which it was suspended. */
  readonly uptime?: () => number;
}

/**
 * The service's clock: wall time at start plus monotonic time since, so that a jump of the wall
 * clock moves no expiry until it is accepted (DESIGN, "Semantics"). The time in which the machine was
 * suspended, which the monotonic clock leaves out, is added by itself (FAULTS 34).
 */
export function systemClock({
  wall = Date.now,
  uptime = () => secondsUp() * 1000,
}: MachineTime = {}): SystemClock {
  const begun = readClocks(wall, uptime);
  let { start, origin } = begun;
  const raw = (): number => start + (performance.now() - origin);
  /** The clock shows no earlier time before this one has come. */
  let latest = 0;
  const sleep = sleepWatch(wall, uptime, begun);
  let slept = 0;
  const look = (): void => {
    const span = sleep.look();
    start += span;
    slept += span;
  };
  const shown = (): Instant => instant(Math.max(latest, raw()));
  const now = (): Instant => {
    // Before the round of the next second: a token would else be issued by the time before the suspension.
    if (sleep.hasMoved()) look();
    return shown();
  };
  return {
    now,
    drift: () => {
      if (sleep.hasMoved()) look();
      return wall() - shown();
    },
    slept: () => {
      look();
      const span = milliseconds(Math.round(slept));
      slept = 0;
      return span;
    },
    accept: () => {
      const found = readClocks(wall, uptime);
      ({ start, origin } = found);
      latest = 0;
      sleep.begin(found);
    },
    catchUp: (to) => {
      const span = Math.max(0, to - now());
      start += span;
      sleep.caughtUp(span);
    },
    set: (to) => {
      sleep.begin(readClocks(wall, uptime));
      start += to - raw();
      latest = 0;
    },
    follow: () => {
      if (sleep.hasMoved()) look();
      const apart = wall() - raw();
      if (Math.abs(apart) > allowedDrift) return;
      if (apart < 0) latest = Math.max(latest, raw());
      start += Math.max(apart, -mostBack);
    },
  };
}

/** Milliseconds by which a clock that is ahead goes back at once: 1 % of a second. */
const mostBack = 10;

/** Milliseconds by which wall clock and uptime may differ in what a suspension took. */
const sameSleep = 2000;
/** Milliseconds: some systems tell an uptime in whole seconds. */
const shortestSleep = 2000;
/** Milliseconds by which the wall clock may have moved without a look at the uptime, which is a file. */
const leastMove = 1000;
/** Milliseconds for which a wall clock that is asked for across a network may not know of a suspension. */
const wallLag = 60_000;

interface SleepWatch {
  /** Whether the wall clock has gone another way than the monotonic clock since the last look; cheap. */
  readonly hasMoved: () => boolean;
  /** Milliseconds by which the wall clock has jumped since the last look, if a suspension says why; else 0. */
  readonly look: () => number;
  /** Forgets what was seen before: the clock has another time by now. */
  readonly begin: (at: Reading) => void;
  /** Notes that the clock was moved forward, perhaps because of a suspension that is yet to be told. */
  readonly caughtUp: (span: number) => void;
}

/**
 * Tells a suspension from a clock that somebody has set: in a suspension wall clock and uptime go on by the
 * same span while the monotonic clock stands still. A virtual machine that goes on from a snapshot has no
 * uptime that says how long: its clock is to be accepted.
 */
function sleepWatch(wall: () => number, uptime: () => number, begun: Reading): SleepWatch {
  let last = begun;
  let moved = 0;
  let caught = 0;
  const begin = (at: Reading): void => {
    last = at;
    moved = at.start - at.origin;
    caught = 0;
  };
  begin(begun);
  return {
    begin,
    caughtUp: (span) => {
      caught += span;
    },
    hasMoved: () => Math.abs(wall() - performance.now() - moved) > leastMove,
    look: () => {
      const found = readClocks(wall, uptime);
      moved = found.start - found.origin;
      const passed = found.origin - last.origin;
      const jump = found.start - last.start - passed;
      const sleep = found.up - last.up - passed;
      const isSleep = sleep >= shortestSleep && Math.abs(jump - sleep) <= sameSleep;
      const span = isSleep ? Math.max(0, jump - caught) : 0;
      if (sleep < shortestSleep || isSleep || passed > wallLag) begin(found);
      return span;
    },
  };
}

/** Milliseconds between two readings of the monotonic clock that count as one moment. */
const oneMoment = 1;
const mostReadings = 20;

/** The clocks at one moment: wall time, monotonic time, uptime. */
interface Reading {
  readonly start: number;
  readonly origin: number;
  readonly up: number;
}

/**
 * The clocks of one moment. A process that was suspended between two readings would stay behind all
 * others of its machine, and its tokens would be dead by their revocations.
 */
function readClocks(wall: () => number, uptime: () => number): Reading {
  let best = { start: 0, origin: 0, up: 0, span: Number.POSITIVE_INFINITY };
  for (let readings = 0; readings < mostReadings && best.span > oneMoment; readings += 1) {
    const before = performance.now();
    const [up, start] = [uptime(), wall()];
    const origin = performance.now();
    if (origin - before < best.span) best = { start, origin, up, span: origin - before };
  }
  return best;
}
