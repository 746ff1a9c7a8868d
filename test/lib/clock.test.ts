// Tests of the service's clock beside the machine's.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';

import { systemClock } from '../../src/lib/clock.ts';

const epoch = 1_750_000_000_000;

/** A machine that lets the process wait after the first looks at its wall clock, so long each. */
function machine(t: TestContext, waits: number[]): { readonly wall: () => number } {
  let monotonic = 1000;
  t.mock.method(performance, 'now', () => monotonic);
  return {
    wall: () => {
      const time = epoch + monotonic;
      monotonic += waits.shift() ?? 0;
      return time;
    },
  };
}

test('FAULTS 12: a process that is kept waiting as it looks at its clock is not behind for good', (t) => {
  const waits = [300, 5, 40];
  const { wall } = machine(t, waits);
  const clock = systemClock(wall);
  assert.deepEqual([clock.drift(), clock.now()], [0, wall()]);
  waits.push(700);
  clock.accept();
  assert.deepEqual([clock.drift(), clock.now()], [0, wall()]);
});

test('FAULTS 12: where it is kept waiting at every look, the shortest counts', (t) => {
  const { wall } = machine(t, [300, 90, 7, ...Array.from({ length: 40 }, () => 80)]);
  const clock = systemClock(wall);
  // Behind by that, as this look shows, after which it is kept waiting too.
  assert.equal(clock.drift() + 80, 7);
});

test('FAULTS 12: a clock follows another one, never back, and no faster than 1 % of the time', (t) => {
  let monotonic = 0;
  t.mock.method(performance, 'now', () => monotonic);
  let ahead = 0;
  const clock = systemClock(() => epoch + monotonic + ahead);
  /** Lets a second pass; what the clock shows before and after it follows, since the epoch of this test. */
  const followed = (): readonly number[] => {
    monotonic += 1000;
    const before = clock.now();
    clock.follow();
    return [before - epoch, clock.now() - epoch];
  };
  ahead = 25;
  assert.deepEqual(followed(), [1000, 1025]);
  ahead = 0;
  assert.deepEqual(followed(), [2025, 2025]);
  assert.equal(clock.drift(), -25);
  monotonic += 10;
  assert.equal(clock.now() - epoch, 2025);
  monotonic += 1;
  assert.equal(clock.now() - epoch, 2026);
  monotonic -= 11;
  assert.deepEqual(
    [followed(), followed(), followed()],
    [
      [3015, 3015],
      [4005, 4005],
      [5000, 5000],
    ],
  );
  // Nobody follows a clock that is far away.
  ahead = 60_001;
  assert.deepEqual(followed(), [6000, 6000]);
  ahead = -60_001;
  assert.deepEqual(followed(), [7000, 7000]);
  clock.accept();
  assert.equal(clock.now() - epoch, 7000 - 60_001);
});
