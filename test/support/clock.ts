// Owns the clock of tests: it stands still until it is moved.

import { type Clock, type Instant, instant } from '../../src/lib/clock.ts';

export interface TestClock extends Clock {
  /** Moves time forward by a number of seconds. */
  readonly advance: (seconds: number) => void;
}

/** Starts at a date that tests can name: 2026-01-02T03:04:05Z. */
export function testClock(): TestClock {
  let time: number = Date.parse('2026-01-02T03:04:05Z');
  return {
    now: (): Instant => instant(time),
    advance: (seconds) => {
      time += seconds * 1000;
    },
  };
}
