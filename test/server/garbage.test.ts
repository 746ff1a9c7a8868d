// Garbage is collected when it is asked for, its pages go back, and the flag for it does not stay.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { collectGarbage, collectWhenIdle } from '../../src/server/garbage.ts';
import { until } from '../support/until.ts';

test('memory that nothing refers to any more is given back', () => {
  const committed = (): number => getHeapStatistics().total_physical_size;
  collectGarbage();
  const before = committed();
  let held: unknown[] | undefined = Array.from({ length: 400_000 }, (_, index) => [index]);
  assert.equal(held.length, 400_000);
  const full = committed();
  held = undefined;
  collectGarbage();
  assert.ok(full - before > 10_000_000, `${full - before} bytes were used`);
  assert.ok(committed() - before < 5_000_000, `${committed() - before} bytes are left`);
  assert.equal(runInNewContext('typeof gc'), 'undefined');
});

test('once the process idles, it is collected by itself', async () => {
  const committed = (): number => getHeapStatistics().total_physical_size;
  collectGarbage();
  const before = committed();
  let held: unknown[] | undefined = Array.from({ length: 400_000 }, (_, index) => [index]);
  assert.equal(held.length, 400_000);
  collectWhenIdle();
  held = undefined;
  assert.ok(committed() - before > 10_000_000);
  await until(() => committed() - before < 5_000_000);
});
