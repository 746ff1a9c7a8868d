// Owns the contract of sweeping.

import assert from 'node:assert/strict';

import type { Instant } from '../../src/lib/clock.ts';
import type { Store } from '../../src/store/contract.ts';
import {
  aCode,
  aFamily,
  anAccessToken,
  aPartnerToken,
  aRefreshToken,
  at,
  club,
  inParallel,
  key,
  partner,
} from './fixtures.ts';
import { findAccess, findRefresh, rotate } from './login.ts';
import type { StoreTest } from './with_store.ts';

/** Sweeps until nothing has gone for a while; returns what each call removed. */
async function sweepAll(store: Store, now: Instant, limit: number): Promise<number[]> {
  const removed: number[] = [];
  for (let idle = 0; idle < 20;) {
    const went = await store.sweep(now, limit);
    idle = went === 0 ? idle + 1 : 0;
    removed.push(went);
  }
  return removed;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

export function sweepTests(check: StoreTest): void {
  check('DESIGN: a sweep removes at most its limit, and in the end all', async ({ store }) => {
    await inParallel(100, (n) => {
      const expiresAt = n % 2 === 0 ? at(10) : at(1800);
      return store.saveAccessToken(aPartnerToken(`token ${n}`, { expiresAt }));
    });
    assert.equal(await store.sweep(at(9.999), 100), 0);
    const removed = await sweepAll(store, at(10), 7);
    assert.equal(Math.max(...removed), 7);
    assert.equal(sum(removed), 50);
    const left = await inParallel(100, (n) => findAccess(store, `token ${n}`, 0));
    assert.ok(left.every((token, n) => (token !== undefined) === (n % 2 === 1)));
    assert.equal(await store.sweep(at(10), 0), 0);
  });

  check('G-2: what still counts stays: spent codes, revocations', async ({ store }) => {
    const access = anAccessToken('access', { expiresAt: at(90_000) });
    const bought = { family: aFamily(), access, refresh: aRefreshToken('r1') };
    await store.issueCode(aCode());
    await store.spendCode(club, partner, key('code'), bought, at(0));
    await store.revokeFamily(club, aFamily().id, at(1));
    await sweepAll(store, at(80_000), 5);
    assert.equal(await store.issueCode(aCode({ key: key('again') })), 'already_spent');
    assert.equal(await findAccess(store, 'access', 80_000), undefined);
    assert.equal((await findRefresh(store, 'r1', 80_000))?.revoked, true);
  });

  check('DESIGN: every kind of record goes at its end', async ({ store }) => {
    await store.issueCode(aCode());
    await store.issueCode(aCode({ key: key('unspent'), transaction: 'login-2' }));
    const bought = {
      family: aFamily(),
      access: anAccessToken('a'),
      refresh: aRefreshToken('r1'),
    };
    await store.spendCode(club, partner, key('code'), bought, at(0));
    await rotate(store, 'r1', 'r2');
    assert.equal(sum(await sweepAll(store, at(1799), 5)), 0);
    // Two access tokens; the unspent code; two refresh tokens; family and spent code.
    assert.equal(sum(await sweepAll(store, at(1800), 5)), 2);
    assert.equal(sum(await sweepAll(store, at(3600), 5)), 1);
    assert.equal(sum(await sweepAll(store, at(86_400), 5)), 2);
    assert.equal(sum(await sweepAll(store, aFamily().endsAt, 5)), 2);
    // Nothing is left of them: their names are free again.
    assert.equal(await store.issueCode(aCode()), 'issued');
    const outcome = await store.spendCode(club, partner, key('code'), bought, at(0));
    assert.deepEqual(outcome, { outcome: 'spent' });
  });

  check('HOSTILE 29: reuse is recognised after the answer was erased', async ({ store }) => {
    const bought = { family: aFamily(), refresh: aRefreshToken('r1') };
    await store.issueCode(aCode());
    await store.spendCode(club, partner, key('code'), bought, at(0));
    await rotate(store, 'r1', 'r2');
    await sweepAll(store, at(11), 5);
    assert.ok((await findRefresh(store, 'r1', 11))?.keptAnswer);
    await sweepAll(store, at(12), 5);
    // Shown by asking at a time when it would still have been given.
    assert.equal((await findRefresh(store, 'r1', 11))?.keptAnswer, undefined);
    assert.deepEqual(await rotate(store, 'r1', 'r3', 12), { outcome: 'reused' });
  });
}
