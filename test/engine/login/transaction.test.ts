// P-3: the browser that got the page of a login first is remembered until the login ends, for a bounded
// number of logins.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type BoundTransaction, FirstBrowsers } from '../../../src/engine/login/transaction.ts';
import type { Instant } from '../../../src/lib/clock.ts';

function login(id: string, browser: string, expiresAt = 900): BoundTransaction {
  return { id, browser, expiresAt } as BoundTransaction;
}

const at = (time: number): Instant => time as Instant;

test('P-3: the first browser keeps a login, and an ended one makes room', () => {
  const first = new FirstBrowsers();
  assert.equal(first.find('a'), undefined);
  assert.equal(first.claim(login('a', 'mine'), at(0)), true);
  assert.equal(first.claim(login('a', 'yours'), at(1)), false);
  assert.equal(first.claim(login('a', 'mine'), at(2)), true);
  assert.equal(first.claim(login('b', 'yours'), at(899)), true);
  assert.equal(first.find('a'), 'mine');
  assert.equal(first.claim(login('c', 'yours', 1800), at(900)), true);
  assert.deepEqual([first.find('a'), first.find('b')], [undefined, undefined]);
  assert.equal(first.find('c'), 'yours');
});

test('P-3: of 50,001 logins under way the oldest is forgotten', () => {
  const first = new FirstBrowsers();
  for (let count = 0; count <= 50_000; count++) first.claim(login(`${count}`, 'mine'), at(0));
  assert.deepEqual([first.find('0'), first.find('1')], [undefined, 'mine']);
});
