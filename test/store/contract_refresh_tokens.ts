// Owns the contract of refresh tokens; of races and families see contract_families.ts.

import assert from 'node:assert/strict';
import { describe } from 'node:test';

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
import { isRevoked, login, retried } from './login.ts';
import { withStore, type Open } from './with_store.ts';

export function refreshTokenTests(open: Open): void {
  describe('refresh tokens', () => {
    rotationTests(open);
    retryTests(open);
    reuseTests(open);
    refusalTests(open);
  });
}

function rotationTests(open: Open): void {
  withStore(open, 'G-23: a refresh token rotates to its successor', async ({ store }) => {
    await login(store);
    assert.deepEqual(await store.rotateRefreshToken(aRotation('r1', 'r2')), { outcome: 'rotated' });
    const common = { family: aFamily(), revoked: false };
    assert.deepEqual(await store.findRefreshToken(club, key('r1'), at(11)), {
      ...aRefreshToken('r1'),
      ...common,
      rotated: true,
      keptAnswer: 'answer with r2',
      retryUntil: at(11),
    });
    assert.deepEqual(await store.findRefreshToken(club, key('r2'), at(11)), {
      ...aRefreshToken('r2'),
      ...common,
      rotated: false,
    });
    const access = await store.findAccessToken(club, key('access of r2'), at(11));
    assert.deepEqual(access, anAccessToken('access of r2'));
    assert.ok(await store.findAccessToken(club, key('access'), at(11)));
  });

  withStore(open, 'G-23: a lineage goes on, with JWT access tokens too', async ({ store }) => {
    await login(store);
    for (let n = 1; n < 6; n += 1) {
      const { access: _access, ...rotation } = aRotation(`r${n}`, `r${n + 1}`);
      assert.deepEqual(await store.rotateRefreshToken(rotation), { outcome: 'rotated' });
    }
    assert.equal((await store.findRefreshToken(club, key('r6'), at(1)))?.rotated, false);
  });
}

function retryTests(open: Open): void {
  withStore(
    open,
    'HOSTILE 29: every retry in the window gets the one answer',
    async ({ store }) => {
      await login(store);
      await store.rotateRefreshToken(aRotation('r1', 'r2'));
      for (const seconds of [1, 5, 11]) {
        const retry = aRotation('r1', `lost ${seconds}`, { now: at(seconds) });
        assert.deepEqual(await store.rotateRefreshToken(retry), retried('r2'));
        assert.equal(await store.findRefreshToken(club, key(`lost ${seconds}`), at(1)), undefined);
        const access = key(`access of lost ${seconds}`);
        assert.equal(await store.findAccessToken(club, access, at(1)), undefined);
      }
      assert.equal(await isRevoked(store), false);
    },
  );

  withStore(open, 'HOSTILE 29: a retry may come until the window’s last moment', async (o) => {
    const { store } = o;
    await login(store);
    await store.rotateRefreshToken(aRotation('r1', 'r2'));
    assert.equal((await store.findRefreshToken(club, key('r1'), at(11)))?.retryUntil, at(11));
    const late = await store.findRefreshToken(club, key('r1'), at(11.001));
    assert.equal(late?.keptAnswer, undefined);
    assert.equal(late?.rotated, true);
    const retry = aRotation('r1', 'r3', { now: at(11.001) });
    assert.deepEqual(await store.rotateRefreshToken(retry), { outcome: 'reused' });
    assert.equal(await isRevoked(store), true);
  });

  withStore(open, 'HOSTILE 30: the window and its end survive a restart', async (o) => {
    if (o.reopen === undefined) return;
    await login(o.store);
    await o.store.rotateRefreshToken(aRotation('r1', 'r2'));
    const store = await o.reopen();
    const retry = aRotation('r1', 'r3', { now: at(5) });
    assert.deepEqual(await store.rotateRefreshToken(retry), retried('r2'));
    await store.rotateRefreshToken(aRotation('r2', 'r4', { now: at(6) }));
    const again = await o.reopen();
    assert.deepEqual(await again.rotateRefreshToken(retry), { outcome: 'reused' });
    const dead = await o.reopen();
    const last = aRotation('r4', 'r5', { now: at(7) });
    assert.deepEqual(await dead.rotateRefreshToken(last), { outcome: 'unknown' });
  });
}

function reuseTests(open: Open): void {
  withStore(open, 'HOSTILE 29: once the successor was used, reuse revokes', async ({ store }) => {
    await login(store);
    await store.rotateRefreshToken(aRotation('r1', 'r2'));
    await store.rotateRefreshToken(aRotation('r2', 'r3', { now: at(2), retryUntil: at(12) }));
    const before = await store.findRefreshToken(club, key('r1'), at(2));
    assert.equal(before?.keptAnswer, undefined);
    const reuse = aRotation('r1', 'r4', { now: at(3) });
    assert.deepEqual(await store.rotateRefreshToken(reuse), { outcome: 'reused' });
    for (const name of ['access', 'access of r2', 'access of r3', 'access of r4']) {
      assert.equal(await store.findAccessToken(club, key(name), at(3)), undefined);
    }
    // The family is dead to all of its tokens, retries included.
    const retry = aRotation('r2', 'r5', { now: at(3) });
    assert.deepEqual(await store.rotateRefreshToken(retry), { outcome: 'unknown' });
    const next = aRotation('r3', 'r6', { now: at(3) });
    assert.deepEqual(await store.rotateRefreshToken(next), { outcome: 'unknown' });
    assert.deepEqual(await store.rotateRefreshToken(reuse), { outcome: 'unknown' });
  });

  for (const retryUntil of [at(1), at(0)]) {
    withStore(open, `DESIGN: grace 0 allows no retry (${retryUntil})`, async ({ store }) => {
      await login(store);
      await store.rotateRefreshToken(aRotation('r1', 'r2', { retryUntil }));
      const state = await store.findRefreshToken(club, key('r1'), at(1));
      assert.equal(state?.keptAnswer, undefined);
      const retry = aRotation('r1', 'r3');
      assert.deepEqual(await store.rotateRefreshToken(retry), { outcome: 'reused' });
      assert.equal(await isRevoked(store), true);
    });
  }
}

function refusalTests(open: Open): void {
  withStore(open, 'HOSTILE 31: another client or programme changes nothing', async ({ store }) => {
    await login(store);
    const foreign = [
      aRotation('r1', 'x', { client: otherPartner }),
      aRotation('r1', 'x', { programme: otherClub }),
      aRotation('none', 'x'),
    ];
    const refuseAll = async (): Promise<void> => {
      const tries = foreign.map((rotation) => store.rotateRefreshToken(rotation));
      assert.deepEqual(tally(await Promise.all(tries)), { unknown: 3 });
      assert.equal(await store.findRefreshToken(club, key('x'), at(1)), undefined);
    };
    await refuseAll();
    assert.equal(await store.findRefreshToken(otherClub, key('r1'), at(1)), undefined);
    assert.deepEqual(await store.rotateRefreshToken(aRotation('r1', 'r2')), { outcome: 'rotated' });
    await refuseAll();
    await store.rotateRefreshToken(aRotation('r2', 'r3', { now: at(2) }));
    await refuseAll();
    assert.equal(await isRevoked(store), false);
  });

  withStore(
    open,
    'G-19: an expired refresh token is unknown, rotated or not',
    async ({ store }) => {
      await login(store);
      const late = { now: at(86_400), retryUntil: at(86_410) };
      assert.equal(await store.findRefreshToken(club, key('r1'), at(86_400)), undefined);
      const refused = await store.rotateRefreshToken(aRotation('r1', 'x', late));
      assert.deepEqual(refused, { outcome: 'unknown' });
      const early = { now: at(86_399), retryUntil: at(86_409) };
      await store.rotateRefreshToken(aRotation('r1', 'r2', early));
      const retry = await store.rotateRefreshToken(aRotation('r1', 'x', late));
      assert.deepEqual(retry, { outcome: 'unknown' });
      assert.equal((await store.findRefreshToken(club, key('r2'), at(86_399)))?.revoked, false);
    },
  );

  withStore(open, 'G-23: no token outlives the family’s end', async ({ store }) => {
    await login(store, { endsAt: at(100) });
    assert.ok(await store.findRefreshToken(club, key('r1'), at(99)));
    assert.ok(await store.findAccessToken(club, key('access'), at(99)));
    assert.equal(await store.findRefreshToken(club, key('r1'), at(100)), undefined);
    assert.equal(await store.findAccessToken(club, key('access'), at(100)), undefined);
    const late = aRotation('r1', 'r2', { now: at(100), retryUntil: at(110) });
    assert.deepEqual(await store.rotateRefreshToken(late), { outcome: 'unknown' });
  });

  withStore(open, 'FAULTS 2: a rotation that fails half-way leaves the token good', async (o) => {
    const { store } = o;
    await login(store);
    const clash = aRotation('r1', 'r2', { access: anAccessToken('access') });
    await assert.rejects(store.rotateRefreshToken(clash));
    assert.equal(await store.findRefreshToken(club, key('r2'), at(1)), undefined);
    assert.deepEqual(await store.rotateRefreshToken(aRotation('r1', 'r2')), { outcome: 'rotated' });
  });
}
