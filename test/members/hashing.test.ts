// FAULTS 22: how many hashes are made at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hashing, hashingLimits } from '../../src/members/hashing.ts';
import { Unavailable } from '../../src/oauth/failure.ts';

test('FAULTS 22: a core and a thread of the pool are left for everything else', () => {
  const atOnce = (cores: number, threads: number): number => hashingLimits(cores, threads).atOnce;
  assert.deepEqual([atOnce(1, 4), atOnce(2, 4), atOnce(4, 4), atOnce(64, 4)], [1, 1, 3, 3]);
  assert.deepEqual([atOnce(64, 16), atOnce(8, 1)], [15, 1]);
});

test('FAULTS 22: a flood waits in a queue that ends; beyond it one is told at once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const under = Array.from({ length: 2000 }, () => hashing(() => promise));
  const outcomes = Promise.allSettled(under);
  await assert.rejects(
    hashing(async () => 'late'),
    Unavailable,
  );
  resolve();
  const refused = (await outcomes).filter(({ status }) => status === 'rejected');
  assert.ok(refused.length > 1000 && refused.length < 2000, String(refused.length));
  assert.equal(await hashing(async () => 'again'), 'again');
});
