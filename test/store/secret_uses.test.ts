// Uses of secrets that are written later than they are told.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Digest } from '../../src/lib/digest.ts';
import { WaitingUses } from '../../src/store/verbs/uses.ts';
import { at, club, partner } from './fixtures.ts';

const secret = (n: number): Digest => `digest ${n}` as Digest;

test('a use waits until it is written, once an hour, however often that fails', () => {
  const waiting = new WaitingUses();
  waiting.record(club, partner, secret(0), at(0));
  waiting.record(club, partner, secret(0), at(3599));
  const [use, ...more] = waiting.all;
  assert.deepEqual([use?.used_at, more], [at(0), []]);
  waiting.record(club, partner, secret(0), at(3600));
  // The write of the former one: the next is not written by it.
  waiting.written([use!]);
  assert.deepEqual(
    waiting.all.map(({ used_at }) => used_at),
    [at(3600)],
  );
  waiting.written(waiting.all);
  assert.deepEqual(waiting.all, []);
});

test('any number of secrets takes no more memory than some', () => {
  const waiting = new WaitingUses();
  for (let n = 0; n <= 30_000; n += 1) waiting.record(club, partner, secret(n), at(0));
  waiting.written(waiting.all);
  // Of the first one nothing is known any more.
  waiting.record(club, partner, secret(30_000), at(1));
  waiting.record(club, partner, secret(0), at(1));
  assert.deepEqual(
    waiting.all.map(({ digest }) => digest),
    [secret(0)],
  );
});
