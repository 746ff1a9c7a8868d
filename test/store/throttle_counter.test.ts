// Owns tests of what the throttle counter keeps in memory; the contract suite tests what it answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ClientId } from '../../src/oauth/client.ts';
import { ThrottleCounter } from '../../src/store/throttle_counter.ts';
import { heldBytes } from '../support/heap.ts';
import { at, club, partner } from './fixtures.ts';

test('G-18: windows that ended are dropped as new ones begin', () => {
  const counter = new ThrottleCounter();
  const long = { limit: 1, window: 86_400_000 };
  for (let n = 0; n < 10; n += 1) counter.count(club, `long ${n}` as ClientId, long, at(0));
  for (let second = 0; second < 1000; second += 1) {
    for (let n = 0; n < 10; n += 1) {
      const client = `client ${second} ${n}` as ClientId;
      counter.count(club, client, { limit: 1, window: 1000 }, at(second));
    }
    assert.ok(counter.size <= 60, `${counter.size} windows`);
  }
  // Dropping has forgotten none that is open.
  assert.equal(counter.count(club, 'long 3' as ClientId, long, at(1000)).allowed, false);
});

test('G-18: a shorter window counts from the next request on', () => {
  const counter = new ThrottleCounter();
  counter.count(club, partner, { limit: 1, window: 3_600_000 }, at(0));
  const shorter = counter.count(club, partner, { limit: 1, window: 1000 }, at(1));
  assert.deepEqual(shorter, { allowed: true, retryAfter: 1000 });
});

test('DESIGN: a clock set back locks nobody out for longer than a window', () => {
  const counter = new ThrottleCounter();
  const throttle = { limit: 1, window: 1000 };
  counter.count(club, partner, throttle, at(3600));
  assert.deepEqual(counter.count(club, partner, throttle, at(0)), {
    allowed: true,
    retryAfter: 1000,
  });
});

test('G-18: a single client leaves nothing behind of its windows', () => {
  const counter = new ThrottleCounter();
  const before = heldBytes();
  for (let second = 0; second < 200_000; second += 1) {
    counter.count(club, partner, { limit: 1, window: 1000 }, at(second));
  }
  const grown = heldBytes() - before;
  assert.equal(counter.size, 1);
  assert.ok(grown < 4_000_000, `${grown} bytes more`);
});
