// Owns the contract of refresh tokens; of races and families see contract_families.ts.

import assert from 'node:assert/strict';

import {
  aFamily,
  anAccessToken,
  aRefreshToken,
  aRotation,
  at,
  club,
  key,
  otherClub,
  otherPartner,
  tally,
} from './fixtures.ts';
import { findAccess, findRefresh, isRevoked, login, retried, rotate } from './login.ts';
import type { StoreTest } from './with_store.ts';

export function refreshTokenTests(check: StoreTest): void {
  rotationTests(check);
  retryTests(check);
  reuseTests(check);
  refusalTests(check);
}

function rotationTests(check: StoreTest): void {
  check('G-23: a refresh token rotates to its successor', async ({ store }) => {
    await login(store);
    assert.deepEqual(await rotate(store, 'r1', 'r2'), { outcome: 'rotated' });
    const common = { family: aFamily(), revoked: false };
    assert.deepEqual(await findRefresh(store, 'r1', 11), {
      ...aRefreshToken('r1'),
      ...common,
      rotated: true,
      keptAnswer: 'answer with r2',
      retryUntil: at(11),
    });
    assert.deepEqual(await findRefresh(store, 'r2', 11), {
      ...aRefreshToken('r2'),
      ...common,
      rotated: false,
    });
    const access = await findAccess(store, 'access of r2', 11);
    assert.deepEqual(access, anAccessToken('access of r2'));
    assert.ok(await findAccess(store, 'access', 11));
  });

  check('G-23: a lineage goes on, with JWT access tokens too', async ({ store }) => {
    await login(store);
    for (let n = 1; n < 6; n += 1) {
      const { access: _access, ...rotation } = aRotation(`r${n}`, `r${n + 1}`);
      assert.deepEqual(await store.rotateRefreshToken(rotation), { outcome: 'rotated' });
    }
    assert.equal((await findRefresh(store, 'r6', 1))?.rotated, false);
  });
}

function retryTests(check: StoreTest): void {
  check('HOSTILE 29: every retry in the window gets the one answer', async ({ store }) => {
    await login(store);
    await rotate(store, 'r1', 'r2');
    for (const seconds of [1, 5, 11]) {
      const retry = aRotation('r1', `lost ${seconds}`, { now: at(seconds) });
      assert.deepEqual(await store.rotateRefreshToken(retry), retried('r2'));
      assert.equal(await findRefresh(store, `lost ${seconds}`, 1), undefined);
      const access = key(`access of lost ${seconds}`);
      assert.equal(await store.findAccessToken(club, access, at(1)), undefined);
    }
    assert.equal(await isRevoked(store), false);
  });

  check('HOSTILE 29: a retry may come until the window’s last moment', async ({ store }) => {
    await login(store);
    await rotate(store, 'r1', 'r2');
    assert.equal((await findRefresh(store, 'r1', 11))?.retryUntil, at(11));
    const late = await findRefresh(store, 'r1', 11.001);
    assert.equal(late?.keptAnswer, undefined);
    assert.equal(late?.rotated, true);
    assert.deepEqual(await rotate(store, 'r1', 'r3', 11.001), { outcome: 'reused' });
    assert.equal(await isRevoked(store), true);
  });

  check('HOSTILE 30: the window and its end survive a restart', async (o) => {
    if (o.reopen === undefined) return;
    await login(o.store);
    await rotate(o.store, 'r1', 'r2');
    const store = await o.reopen();
    const retry = aRotation('r1', 'r3', { now: at(5) });
    assert.deepEqual(await store.rotateRefreshToken(retry), retried('r2'));
    await rotate(store, 'r2', 'r4', 6);
    assert.deepEqual(await (await o.reopen()).rotateRefreshToken(retry), { outcome: 'reused' });
    assert.deepEqual(await rotate(await o.reopen(), 'r4', 'r5', 7), { outcome: 'unknown' });
  });
}

function reuseTests(check: StoreTest): void {
  check('HOSTILE 29: once the successor was used, reuse revokes', async ({ store }) => {
    await login(store);
    await rotate(store, 'r1', 'r2');
    await rotate(store, 'r2', 'r3', 2, { retryUntil: at(12) });
    assert.equal((await findRefresh(store, 'r1', 2))?.keptAnswer, undefined);
    const reuse = aRotation('r1', 'r4', { now: at(3) });
    assert.deepEqual(await store.rotateRefreshToken(reuse), { outcome: 'reused' });
    for (const name of ['access', 'access of r2', 'access of r3', 'access of r4']) {
      assert.equal(await findAccess(store, name, 3), undefined);
    }
    // The family is dead to all of its tokens, retries included.
    assert.deepEqual(await rotate(store, 'r2', 'r5', 3), { outcome: 'unknown' });
    assert.deepEqual(await rotate(store, 'r3', 'r6', 3), { outcome: 'unknown' });
    assert.deepEqual(await store.rotateRefreshToken(reuse), { outcome: 'unknown' });
  });

  for (const retryUntil of [at(1), at(0)]) {
    check(`DESIGN: grace 0 allows no retry (${retryUntil})`, async ({ store }) => {
      await login(store);
      await rotate(store, 'r1', 'r2', 1, { retryUntil });
      assert.equal((await findRefresh(store, 'r1', 1))?.keptAnswer, undefined);
      assert.deepEqual(await rotate(store, 'r1', 'r3'), { outcome: 'reused' });
      assert.equal(await isRevoked(store), true);
    });
  }
}

function refusalTests(check: StoreTest): void {
  check('HOSTILE 31: another client or programme rotates nothing', async ({ store }) => {
    await login(store);
    const foreign = [
      aRotation('r1', 'x', { client: otherPartner }),
      aRotation('r1', 'x', { programme: otherClub }),
      aRotation('none', 'x'),
    ];
    const refuseAll = async (): Promise<void> => {
      const tries = foreign.map((rotation) => store.rotateRefreshToken(rotation));
      assert.deepEqual(tally(await Promise.all(tries)), { unknown: 3 });
      assert.equal(await findRefresh(store, 'x', 1), undefined);
    };
    await refuseAll();
    assert.equal(await findRefresh(store, 'r1', 1, otherClub), undefined);
    assert.deepEqual(await rotate(store, 'r1', 'r2'), { outcome: 'rotated' });
    await refuseAll();
    await rotate(store, 'r2', 'r3', 2);
    await refuseAll();
    assert.equal(await isRevoked(store), false);
  });

  check('G-19: an expired refresh token is unknown, rotated or not', async ({ store }) => {
    await login(store);
    const late = { now: at(86_400), retryUntil: at(86_410) };
    assert.equal(await findRefresh(store, 'r1', 86_400), undefined);
    assert.deepEqual(await rotate(store, 'r1', 'x', 1, late), { outcome: 'unknown' });
    await rotate(store, 'r1', 'r2', 1, { now: at(86_399), retryUntil: at(86_409) });
    assert.deepEqual(await rotate(store, 'r1', 'x', 1, late), { outcome: 'unknown' });
    assert.equal((await findRefresh(store, 'r2', 86_399))?.revoked, false);
  });

  check('G-23: no token outlives the family’s end', async ({ store }) => {
    await login(store, { endsAt: at(100) });
    assert.ok(await findRefresh(store, 'r1', 99));
    assert.ok(await findAccess(store, 'access', 99));
    assert.equal(await findRefresh(store, 'r1', 100), undefined);
    assert.equal(await findAccess(store, 'access', 100), undefined);
    assert.deepEqual(await rotate(store, 'r1', 'r2', 100, { retryUntil: at(110) }), {
      outcome: 'unknown',
    });
  });

  check('FAULTS 2: a rotation that fails half-way leaves the token good', async ({ store }) => {
    await login(store);
    await assert.rejects(rotate(store, 'r1', 'r2', 1, { access: anAccessToken('access') }));
    assert.equal(await findRefresh(store, 'r2', 1), undefined);
    assert.deepEqual(await rotate(store, 'r1', 'r2'), { outcome: 'rotated' });
  });
}
