// Owns the contract of what a store keeps for itself: its key check and its processes' node numbers.

import assert from 'node:assert/strict';
import { describe } from 'node:test';

import { Unavailable } from '../../src/oauth/failure.ts';
import { addSigningKey, aSigningKey, at, inParallel } from './fixtures.ts';
import type { StoreTest } from './with_store.ts';

const yes = (): boolean => true;
const no = (): boolean => false;

export function keyCheckTests(check: StoreTest): void {
  describe('key check', () => {
    check('HOSTILE 56: the first value stays, for every process', async (o) => {
      const other = await o.elsewhere();
      const kept = await inParallel(10, (n) =>
        (n % 2 === 0 ? o.store : other).ensureKeyCheck(`value ${n}`, yes),
      );
      assert.equal(new Set(kept).size, 1);
      await addSigningKey(o.store, aSigningKey('kid'));
      assert.equal(await (await o.reopened()).ensureKeyCheck('late', no), kept[0]);
    });
  });
}

export function nodeTests(check: StoreTest): void {
  describe('node numbers', () => {
    check('P-7: no two holders have one, and each keeps its own', async (o) => {
      const stores = [o.store, await o.elsewhere()] as const;
      const lease = (n: number, seconds: number): Promise<number> =>
        stores[n % 2 === 0 ? 0 : 1].leaseNode(at(seconds), `holder ${n}`);
      const nodes = await inParallel(8, (n) => lease(n, 0));
      assert.deepEqual(
        nodes.toSorted((a, b) => a - b),
        [0, 1, 2, 3, 4, 5, 6, 7],
      );
      for (const seconds of [1, 59, 61, 100, 160]) {
        assert.deepEqual(await inParallel(8, (n) => lease(n, seconds)), nodes);
      }
    });

    check('P-7: a number whose holder has ended is given out again', async ({ store }) => {
      assert.equal(await store.leaseNode(at(0), 'first'), 0);
      assert.equal(await store.leaseNode(at(0), 'second'), 1);
      assert.equal(await store.leaseNode(at(100), 'second'), 1);
      assert.equal(await store.leaseNode(at(119.999), 'third'), 2);
      assert.equal(await store.leaseNode(at(120), 'fourth'), 0);
      // Whoever slept so long takes another.
      assert.equal(await store.leaseNode(at(121), 'first'), 3);
      assert.equal(await store.leaseNode(at(122), 'first'), 3);
    });

    check('FAULTS 10: a lease from before a jump of the clock ends', async ({ store }) => {
      assert.equal(await store.leaseNode(at(100_000), 'first'), 0);
      assert.equal(await store.leaseNode(at(0), 'second'), 0);
    });

    check('G-22: the numbers are 0 to 1023, and then there is none', async ({ store }) => {
      const nodes = await inParallel(1024, (n) => store.leaseNode(at(0), `holder ${n}`));
      assert.deepEqual(new Set(nodes).size, 1024);
      assert.deepEqual([Math.min(...nodes), Math.max(...nodes)], [0, 1023]);
      await assert.rejects(store.leaseNode(at(1), 'one more'), Unavailable);
      assert.equal(await store.leaseNode(at(120), 'one more'), 0);
    });
  });
}
