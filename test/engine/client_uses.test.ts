// The counts of what clients did within the last hour: what they hold, and that they stay small.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ClientUses, countedSince, type LastHour } from '../../src/engine/client_uses.ts';
import { instant, type Instant, milliseconds } from '../../src/lib/clock.ts';
import type { ClientId } from '../../src/oauth/client.ts';

const [first, second, third] = ['c1', 'c2', 'c3'] as ClientId[] as [ClientId, ClientId, ClientId];
const none: LastHour = { allowed: 0, throttled: 0, failedAuthentications: 0 };

/** Minutes after a time that lies within a minute. */
function at(minutes: number): Instant {
  return instant(Date.UTC(2026, 0, 1, 3, 4, 30) + minutes * 60_000);
}

test('each kind of use is counted for each client', () => {
  const uses = new ClientUses();
  assert.deepEqual(uses.of(first, at(0)), none);
  for (let n = 0; n < 3; n += 1) uses.allow(first, at(n));
  for (let n = 0; n < 2; n += 1) uses.throttle(first, at(n), milliseconds(1000));
  uses.fail(first, at(2));
  uses.fail(second, at(2));
  uses.fail(undefined, at(2));
  assert.deepEqual(uses.of(first, at(2)), { allowed: 3, throttled: 2, failedAuthentications: 1 });
  assert.deepEqual(uses.of(second, at(2)), { ...none, failedAuthentications: 1 });
});

test('a count is of the present minute and the 59 before it', () => {
  const uses = new ClientUses();
  for (let minute = 0; minute < 200; minute += 1) {
    for (let n = 0; n <= minute % 2; n += 1) uses.allow(first, at(minute));
  }
  assert.equal(uses.of(first, at(199)).allowed, 90);
  assert.equal(uses.of(first, at(199.4)).allowed, 90);
  // A minute of one request, then one of two, have gone.
  assert.equal(uses.of(first, at(199.6)).allowed, 89);
  assert.equal(uses.of(first, at(201)).allowed, 87);
  assert.equal(uses.of(first, at(258)).allowed, 2);
  assert.deepEqual(uses.of(first, at(259)), none);
  uses.allow(first, at(1000));
  assert.equal(uses.of(first, at(1000)).allowed, 1);
});

test('the time since which is counted is the beginning of that first minute', () => {
  for (const now of [at(0), at(0.49), at(0.5)]) {
    const uses = new ClientUses();
    const since = countedSince(now);
    uses.allow(first, instant(since - 1));
    assert.deepEqual(uses.of(first, now), none);
    uses.allow(second, since);
    assert.equal(uses.of(second, now).allowed, 1);
  }
});

test('a request that began before the minute ended takes nothing from what is counted', () => {
  const uses = new ClientUses();
  uses.allow(first, at(1));
  uses.throttle(first, at(0), milliseconds(1000));
  assert.deepEqual(uses.of(first, at(1)), { ...none, allowed: 1, throttled: 1 });
  assert.deepEqual(uses.of(first, at(60)), { ...none, allowed: 1 });
});

test('FAULTS 10: a clock that is set back begins the counts anew', () => {
  // By an hour to the minute, too: then the present minute has the place of the one it was set back from.
  for (const before of [600, 60]) {
    const uses = new ClientUses();
    uses.allow(first, at(before));
    uses.allow(first, at(0));
    assert.equal(uses.of(first, at(0)).allowed, 1);
    assert.equal(uses.of(first, at(59)).allowed, 1);
  }
});

test('the throttled are those whose window is used up now', () => {
  const uses = new ClientUses();
  const window = milliseconds(120_000);
  for (const client of [first, second, third]) uses.throttle(client, at(0), window);
  assert.deepEqual(uses.throttled(at(1), 10), [first, second, third]);
  assert.deepEqual(uses.throttled(at(1), 2), [first, second]);
  assert.deepEqual(uses.throttled(at(1), 0), []);
  uses.allow(second, at(1));
  assert.deepEqual(uses.throttled(at(1), 10), [first, third]);
  assert.deepEqual(uses.throttled(at(2), 10), []);
});

test('one client more than the bound, and the first is forgotten', () => {
  const uses = new ClientUses(2);
  for (const client of [first, second, third, second]) uses.allow(client, at(0));
  const counts = [first, second, third].map((client) => uses.of(client, at(0)).allowed);
  assert.deepEqual(counts, [0, 2, 1]);
});
