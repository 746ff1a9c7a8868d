// FAULTS 22: how many hashes are made at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hashing, hashingLimits } from '../../src/members/hashing.ts';
import { Unavailable } from '../../src/oauth/failure.ts';

test('FAULTS 22: a core is left for everything else, and memory for the rest', () => {
  const limits = [1, 2, 4, 64].map(hashingLimits);
  assert.deepEqual(
    limits.map(({ atOnce }) => atOnce),
    [1, 1, 3, 8],
  );
  assert.deepEqual(
    limits.map(({ waiting }) => waiting),
    [100, 100, 300, 800],
  );
});

test('FAULTS 22: the queue of hashes is bounded; beyond it a hash is refused at once', async () => {
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
