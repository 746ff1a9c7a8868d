// The time at which a server starts beside what its store has recorded (FAULTS 10 and 11), to the
// millisecond; what running servers do is in test/faults/clock.slow.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Instant, instant, systemClock } from '../../src/lib/clock.ts';
import { clockBeside } from '../../src/server/store_clock.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { scratchFile } from '../store/file_directory.ts';

const hours = 3_600_000;

/** What comes of a start so much after the recorded time: what the service's clock shows, and what is told. */
async function start(after: number, accept = false): Promise<readonly [number, string[], number]> {
  const { path, remove } = scratchFile();
  const now = Date.now();
  const recorded = instant(now - after);
  const store = openFileStore({ path, environment: 'staging', now: recorded });
  try {
    await store.time(recorded);
    const events: string[] = [];
    const log = { error: (event: string) => void events.push(event) };
    const clock = await clockBeside(
      { store, clock: systemClock({ wall: () => now }) },
      path,
      accept,
      log,
    );
    const left = ((await store.time()).recorded ?? (0 as Instant)) - recorded;
    return [clock.now() - recorded, events, left];
  } finally {
    await store.close();
    remove();
  }
}

test('FAULTS 10: behind by up to a minute a start goes on at the recorded time, never before it', async () => {
  for (const behind of [1, 30_000, 59_000]) {
    const [ahead, events] = await start(-behind);
    assert.ok(ahead >= 0, `${ahead}`);
    assert.deepEqual(events, []);
  }
});

test('FAULTS 10: behind by more it is refused, unless the clock is to be believed', async () => {
  await assert.rejects(
    start(-120_000),
    ({ exitCode, message }: { exitCode: number; message: string }) =>
      exitCode === 4 && /set the clock right; .* serve --accept-clock/.test(message),
  );
  const [ahead, events, left] = await start(-120_000, true);
  assert.ok(ahead < 0 && left < 0, 'the recorded time is given up');
  assert.deepEqual(events, []);
});

test('FAULTS 11: a start long after the recorded time is told of', async () => {
  assert.deepEqual((await start(35 * hours))[1], []);
  assert.deepEqual((await start(37 * hours))[1], ['clock_gap']);
});
