// Owns the contract of signing keys, of throttle counters and of recorded time.

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

    withStore(open, 'FAULTS 24: a key is added, told to sign, retired and removed', async (o) => {
      const { store } = o;
      const first = aSigningKey('first', { createdAt: at(1), signsFrom: at(1) });
      const second = aSigningKey('second', { createdAt: at(2) });
      await store.addSigningKey(second);
      await store.addSigningKey(first);
      assert.deepEqual(await store.listSigningKeys(club), [first, second]);
      await assert.rejects(store.addSigningKey(first));
      const told = { ...second, signsFrom: at(9) };
      const changed = await store.changeSigningKey(club, 'second', (key) => ({ ...key, ...told }));
      assert.deepEqual(changed, told);
      const retired = { ...first, retiresAt: at(9) };
      await store.changeSigningKey(club, 'first', (key) => ({ ...key, retiresAt: at(9) }));
      const reopened = o.reopen ? await o.reopen() : store;
      assert.deepEqual(await reopened.listSigningKeys(club), [retired, told]);
      assert.equal(await reopened.removeSigningKey(otherClub, 'first'), false);
      assert.equal(await reopened.removeSigningKey(club, 'first'), true);
      assert.equal(await reopened.removeSigningKey(club, 'first'), false);
      assert.equal(await reopened.changeSigningKey(club, 'first', (key) => key), undefined);
      const renamed = reopened.changeSigningKey(club, 'second', (key) => ({ ...key, kid: 'x' }));
      await assert.rejects(renamed, /may not change its programme or kid/);
      assert.deepEqual(await reopened.listSigningKeys(club), [told]);
    });

    withStore(open, 'FAULTS 24: the epoch tells of every change and of nothing else', async (o) => {
      const { store } = o;
      const seen = [await store.signingKeyEpoch()];
      const look = async (): Promise<void> => {
        const other = o.another ? await o.another() : store;
        seen.push(await other.signingKeyEpoch());
      };
      await store.addSigningKey(aSigningKey('first'));
      await look();
      await store.ensureSigningKey(otherClub, 'ES256', aSigningKey('x', { programme: otherClub }));
      await look();
      await store.changeSigningKey(club, 'first', (key) => ({ ...key, signsFrom: at(1) }));
      await look();
      await store.removeSigningKey(club, 'first');
      await look();
      assert.equal(new Set(seen).size, 5);
      const last = await store.signingKeyEpoch();
      await store.ensureSigningKey(otherClub, 'ES256', aSigningKey('y', { programme: otherClub }));
      await store.removeSigningKey(club, 'none');
      await store.changeSigningKey(club, 'none', (key) => key);
      assert.equal(await store.signingKeyEpoch(), last);
    });
  });
}

export function timeTests(open: Open): void {
  describe('recorded time', () => {
    withStore(
      open,
      'FAULTS 10: time is recorded, never back, and outlasts a restart',
      async (o) => {
        const { store } = o;
        assert.equal(await store.recordedTime(), undefined);
        await store.recordTime(at(100));
        assert.equal(await store.recordedTime(), at(100));
        await store.recordTime(at(50));
        assert.equal(await store.recordedTime(), at(100));
        await store.recordTime(at(130));
        assert.equal(await store.recordedTime(), at(130));
        const reopened = o.reopen ? await o.reopen() : store;
        await reopened.recordTime(at(99));
        assert.equal(await reopened.recordedTime(), at(130));
      },
    );
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
