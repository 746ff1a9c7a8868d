// Tests of the service's clock beside the machine's.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';

import { instant, systemClock } from '../../src/lib/clock.ts';
import { fc } from '../support/property.ts';

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
  const clock = systemClock({ wall });
  assert.deepEqual([clock.drift(), clock.now()], [0, wall()]);
  waits.push(700);
  clock.accept();
  assert.deepEqual([clock.drift(), clock.now()], [0, wall()]);
});

test('FAULTS 12: where it is kept waiting at every look, the shortest counts', (t) => {
  const { wall } = machine(t, [300, 90, 7, ...Array.from({ length: 40 }, () => 80)]);
  const clock = systemClock({ wall });
  // Behind by that, as this look shows, after which it is kept waiting too.
  assert.equal(clock.drift() + 80, 7);
});

test('FAULTS 12: a clock follows another one, never back, and no faster than 1 % of the time', (t) => {
  let monotonic = 0;
  t.mock.method(performance, 'now', () => monotonic);
  let ahead = 0;
  const clock = systemClock({ wall: () => epoch + monotonic + ahead, uptime: () => monotonic });
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

/** A machine whose three clocks are moved by hand, and a server's clock on it. */
function threeClocks(t: TestContext) {
  const at = { wall: epoch, monotonic: 5000, uptime: 9000 };
  t.mock.method(performance, 'now', () => at.monotonic);
  const clock = systemClock({ wall: () => at.wall, uptime: () => at.uptime });
  const move = (by: Partial<typeof at>): void => {
    for (const [name, span] of Object.entries(by)) at[name as keyof typeof at] += span;
  };
  return {
    clock,
    move,
    /** A second in which all three run. */
    pass: () => move({ wall: 1000, monotonic: 1000, uptime: 1000 }),
    shown: (): number => clock.now() - epoch,
  };
}

test('FAULTS 34: after a suspension the clock goes on at the right time, at its first look', (t) => {
  const { clock, move, pass, shown } = threeClocks(t);
  pass();
  assert.equal(clock.slept(), 0);
  // An hour; the uptime is coarse.
  move({ wall: 3_600_000, uptime: 3_599_500 });
  assert.equal(shown(), 3_601_000);
  assert.deepEqual([clock.drift(), clock.slept(), clock.slept()], [0, 3_600_000, 0]);
  pass();
  assert.equal(shown(), 3_602_000);
  // A second one in the same second.
  move({ wall: 90_000, uptime: 90_000 });
  move({ wall: 30_000, uptime: 30_000 });
  assert.deepEqual([shown(), clock.slept()], [3_722_000, 120_000]);
});

test('FAULTS 10, 11, 34: a step of the clock is no suspension, whatever its size and direction', (t) => {
  const steps: readonly (readonly [wall: number, uptime: number])[] = [
    [3_600_000, 0],
    [-3_600_000, 0],
    [315_360_000_000, 0],
    [-3_600_000, 3_600_000],
    [3_600_000, 3_590_000],
    [3_590_000, 3_600_000],
    [0, 3_600_000],
    // A virtual machine from a snapshot.
    [86_400_000, 1500],
  ];
  for (const [wall, uptime] of steps) {
    const { clock, move, pass, shown } = threeClocks(t);
    move({ wall, uptime });
    assert.equal(shown(), 0, `${wall} ${uptime}`);
    pass();
    assert.deepEqual([clock.slept(), clock.drift(), shown()], [0, wall, 1000]);
    // It is followed once it is accepted, and no suspension is found in that.
    clock.accept();
    pass();
    assert.deepEqual([clock.slept(), clock.drift(), shown()], [0, 0, wall + 2000]);
    t.mock.restoreAll();
  }
});

test('FAULTS 34: a clock that was off before a suspension is as far off after it', (t) => {
  const { clock, move, pass, shown } = threeClocks(t);
  move({ wall: 315_360_000_000 });
  pass();
  assert.equal(clock.slept(), 0);
  move({ wall: 3_600_000, uptime: 3_600_000 });
  assert.deepEqual(
    [clock.slept(), shown(), clock.drift()],
    [3_600_000, 3_601_000, 315_360_000_000],
  );
});

test('FAULTS 34: a database’s clock that is asked after the suspension is believed for a minute', (t) => {
  const { clock, move, pass, shown } = threeClocks(t);
  move({ uptime: 3_600_000 });
  for (let seconds = 0; seconds < 3; seconds += 1) {
    pass();
    assert.equal(clock.slept(), 0);
  }
  move({ wall: 3_600_000 });
  assert.deepEqual([shown(), clock.slept()], [3_603_000, 3_600_000]);
  // What is told too late is a step.
  move({ uptime: 3_600_000 });
  for (let seconds = 0; seconds < 62; seconds += 1) {
    pass();
    assert.equal(clock.slept(), 0);
  }
  move({ wall: 3_600_000 });
  pass();
  assert.deepEqual([clock.slept(), clock.drift()], [0, 3_600_000]);
});

test('FAULTS 34: nothing but a suspension moves the clock, and a suspension by no more than itself', (t) => {
  const span = fc.oneof(
    fc.integer({ min: -10_000, max: 10_000 }),
    fc.integer({ min: -1e12, max: 1e12 }),
  );
  const moves = fc.array(
    fc.record({ wall: span, uptime: fc.oneof(fc.constant(0), fc.nat(1e12)), same: fc.boolean() }),
    {
      maxLength: 20,
    },
  );
  fc.assert(
    fc.property(moves, (made) => {
      const at = { wall: epoch, monotonic: 0, uptime: 0 };
      const mock = t.mock.method(performance, 'now', () => at.monotonic);
      try {
        const clock = systemClock({ wall: () => at.wall, uptime: () => at.uptime });
        for (const { wall, uptime, same } of made) {
          const before = clock.now();
          // Longer than the time for which a suspension waits for the wall clock.
          const passed = 61_000;
          const jump = same ? uptime : wall;
          at.wall += passed + jump;
          at.uptime += passed + uptime;
          at.monotonic += passed;
          const isSleep = uptime >= 2000 && Math.abs(jump - uptime) <= 2000;
          const slept = isSleep ? jump : 0;
          assert.equal(clock.now() - before, passed + slept);
          assert.equal(clock.slept(), slept);
        }
      } finally {
        mock.mock.restore();
      }
    }),
  );
});

test('FAULTS 34: a suspension that other servers tell of first is counted once', (t) => {
  for (const slept of [40_000, 3_600_000]) {
    const { clock, move, pass, shown } = threeClocks(t);
    move({ uptime: slept });
    pass();
    // The store's servers are there already, or one of them has accepted a time.
    if (slept < 60_000) clock.catchUp(instant(epoch + slept + 1000));
    else clock.set(instant(epoch + slept + 1000));
    move({ wall: slept });
    clock.follow();
    pass();
    assert.deepEqual([clock.slept(), shown(), clock.drift()], [0, slept + 2000, 0]);
    t.mock.restoreAll();
  }
});

test('FAULTS 34: an accepted clock that is set once more has not slept', (t) => {
  const { clock, move, pass, shown } = threeClocks(t);
  move({ wall: 3_600_000, uptime: 3_590_000 });
  pass();
  assert.equal(clock.slept(), 0);
  clock.accept();
  move({ wall: -9000 });
  pass();
  assert.deepEqual([clock.slept(), shown(), clock.drift()], [0, 3_602_000, -9000]);
});
