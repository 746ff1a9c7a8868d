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
