// Owns tests of the windows that are counted in memory: their ends, and the bound on what is remembered.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Windows } from '../../src/store/windows.ts';
import { heldBytes } from '../support/usage.ts';
import { at } from './fixtures.ts';

const once = { limit: 1, window: 1000 };

test('HOSTILE 80: what is given back makes room in its own window alone', () => {
  const windows = new Windows(10);
  const twice = { limit: 2, window: 1000 };
  const count = (seconds: number): boolean => windows.count('a', twice, at(seconds)).allowed;
  const giveBack = (seconds: number): void => windows.giveBack('a', at(seconds));
  assert.deepEqual([count(0), count(0.4), count(0.4)], [true, true, false]);
  giveBack(0.5);
  assert.deepEqual([count(0.5), count(0.5)], [true, false]);
  // Nothing of a window that has ended, and never more than was counted.
  giveBack(1);
  assert.equal(count(1), true);
  for (const second of [1, 1.1, 1.2]) giveBack(second);
  assert.deepEqual([count(1.3), count(1.3), count(1.3)], [true, true, false]);
  // A guesser with a password of its own has them judged over the end of a window: no room in the next.
  for (const second of [0, 0.999]) giveBack(second);
  assert.equal(count(1.4), false);
});

test('HOSTILE 83: a key is admitted while its window is open, or one more can be', () => {
  const windows = new Windows(2);
  const admitted = (second: number): string =>
    ['a', 'b', 'c'].filter((key) => windows.admit(key, once, at(second))).join(' ');
  assert.equal(admitted(0), 'a b');
  assert.equal(admitted(0.9), 'a b');
  assert.equal(windows.admit('c', once, at(1)), true);
  assert.equal(admitted(1), 'a c');
  assert.equal(windows.size, 2);
});

test('G-18: windows that ended are forgotten as new windows begin', () => {
  const windows = new Windows(1_000_000);
  const long = { limit: 1, window: 86_400_000 };
  for (let n = 0; n < 10; n += 1) windows.count(`long ${n}`, long, at(0));
  for (let second = 0; second < 1000; second += 1) {
    for (let n = 0; n < 10; n += 1) windows.count(`short ${second} ${n}`, once, at(second));
    assert.ok(windows.size <= 60, `${windows.size} windows`);
  }
  // No open window is forgotten.
  assert.equal(windows.count('long 3', long, at(1000)).allowed, false);
});

test('DESIGN: of too many windows the oldest is forgotten', () => {
  const windows = new Windows(50);
  for (let n = 0; n < 60; n += 1) windows.count(String(n), once, at(0));
  assert.equal(windows.size, 50);
  assert.deepEqual(
    ['10', '59', '9'].map((key) => windows.count(key, once, at(0)).allowed),
    [false, false, true],
  );
});

test('G-18: a limit that was lowered within the window leaves nothing of it', () => {
  const windows = new Windows(10);
  const count = (limit: number) => windows.count('a', { limit, window: 1000 }, at(0));
  assert.deepEqual(
    [count(5), count(5)].map(({ remaining }) => remaining),
    [4, 3],
  );
  assert.deepEqual(count(1), { allowed: false, remaining: 0, retryAfter: 1000 });
});

test('FAULTS 10: a clock that is set back locks nobody out for longer than a window', () => {
  const windows = new Windows(10);
  windows.count('a', once, at(3600));
  const count = (seconds: number) => windows.count('a', once, at(seconds));
  assert.deepEqual(count(0), { allowed: false, remaining: 0, retryAfter: 1000 });
  assert.deepEqual(count(1), { allowed: true, remaining: 0, retryAfter: 1000 });
});

test('G-18: a single key leaves nothing behind of its windows', () => {
  const windows = new Windows(1_000_000);
  const before = heldBytes();
  for (let second = 0; second < 200_000; second += 1) windows.count('a', once, at(second));
  const grown = heldBytes() - before;
  assert.equal(windows.size, 1);
  assert.ok(grown < 4_000_000, `${grown} bytes more`);
});
