// Owns the contract of signing keys and of throttle counters.

import assert from 'node:assert/strict';
import { describe } from 'node:test';

import { aSigningKey, at, club, inParallel, otherClub, otherPartner, partner } from './fixtures.ts';
import { withStore, type Open } from './with_store.ts';

export function signingKeyTests(open: Open): void {
  describe('signing keys', () => {
    withStore(open, 'C-9: simultaneous starts agree on one key an algorithm', async (o) => {
      const stores = [o.store, o.another ? await o.another() : o.store] as const;
      const standing = await inParallel(10, (n) =>
        stores[n % 2 === 0 ? 0 : 1].ensureSigningKey(club, 'ES256', aSigningKey(`kid ${n}`)),
      );
      assert.equal(new Set(standing.map(({ kid }) => kid)).size, 1);
      assert.deepEqual(await o.store.listSigningKeys(club), [standing[0]]);
    });

    withStore(open, 'C-2: keys are a programme’s own, oldest first', async (o) => {
      const { store } = o;
      const young = aSigningKey('young', { createdAt: at(2) });
      const old = aSigningKey('old', { algorithm: 'RS256', createdAt: at(1) });
      const other = aSigningKey('young', { programme: otherClub });
      assert.deepEqual(await store.ensureSigningKey(club, 'ES256', young), young);
      assert.deepEqual(await store.ensureSigningKey(club, 'RS256', old), old);
      assert.deepEqual(await store.ensureSigningKey(otherClub, 'ES256', other), other);
      const again = aSigningKey('again');
      assert.deepEqual(await store.ensureSigningKey(club, 'ES256', again), young);
      const reopened = o.reopen ? await o.reopen() : store;
      assert.deepEqual(await reopened.listSigningKeys(club), [old, young]);
      assert.deepEqual(await reopened.listSigningKeys(otherClub), [other]);
    });
  });
}

export function throttleTests(open: Open): void {
  describe('throttle', () => {
    const throttle = { limit: 3, window: 60_000 };

    withStore(open, 'G-18: a window lets its limit pass, then says when it ends', async (o) => {
      const count = (seconds: number) =>
        o.store.countTokenRequest(club, partner, throttle, at(seconds));
      assert.deepEqual(await count(0), { allowed: true, retryAfter: 60_000 });
      assert.deepEqual(await count(10), { allowed: true, retryAfter: 50_000 });
      assert.deepEqual(await count(59.999), { allowed: true, retryAfter: 1 });
      assert.deepEqual(await count(59.999), { allowed: false, retryAfter: 1 });
      assert.deepEqual(await count(60), { allowed: true, retryAfter: 60_000 });
    });

    withStore(open, 'G-18: each client of each programme has a counter', async ({ store }) => {
      const results = await inParallel(10, () =>
        store.countTokenRequest(club, partner, throttle, at(0)),
      );
      assert.equal(results.filter(({ allowed }) => allowed).length, 3);
      const others = await Promise.all([
        store.countTokenRequest(club, otherPartner, throttle, at(0)),
        store.countTokenRequest(otherClub, partner, throttle, at(0)),
      ]);
      assert.ok(others.every(({ allowed }) => allowed));
    });

    withStore(open, 'G-18: a limit of none lets nothing pass', async ({ store }) => {
      const none = { limit: 0, window: 1000 };
      const outcome = await store.countTokenRequest(club, partner, none, at(0));
      assert.deepEqual(outcome, { allowed: false, retryAfter: 1000 });
    });
  });
}
