// Owns the contract of sweeping.

import assert from 'node:assert/strict';

import type { Store } from '../../../src/store/contract.ts';
import {
  aCode,
  aLogin,
  anAnswer,
  at,
  club,
  inParallel,
  key,
  partner,
  placeAt,
  sweepAll,
} from '../fixtures.ts';
import { findLogin, isRevoked, refresh } from '../login.ts';
import { eachStore } from './stores.ts';

eachStore('sweep', (check) => {
  check('DESIGN: a sweep removes at most its limit, and in the end all', async ({ store }) => {
    const nth = (n: number) =>
      aLogin({ place: placeAt(0, n), forgetAt: n % 2 === 0 ? at(10) : at(1800) });
    await inParallel(100, (n) => store.startLogin(nth(n)));
    assert.equal(await sweepAll(store, at(69.999)), 0);
    let most = 0;
    const sweep = async (...args: Parameters<Store['sweep']>): Promise<number> => {
      const went = await store.sweep(...args);
      most = Math.max(most, went);
      return went;
    };
    assert.equal(await sweepAll({ sweep }, at(70), 7), 50);
    assert.equal(most, 7);
    const left = await inParallel(100, (n) => findLogin(store, nth(n)));
    assert.ok(left.every((state, n) => (state !== undefined) === (n % 2 === 1)));
    assert.equal(await store.sweep(at(1860), 0), 0);
  });

  check('HOSTILE 29: a login stays until a minute after its last token', async ({ store }) => {
    await store.startLogin(aLogin());
    const { state: second } = await refresh(store, aLogin(), 'second', at(80_000));
    await sweepAll(store, at(86_460), 5);
    assert.deepEqual(await refresh(store, aLogin(), 'late', at(80_010)), {
      outcome: 'retry',
      state: second,
    });
    // A request that arrived in time has yet to write when the refresh token ends.
    await sweepAll(store, at(166_459.999), 5);
    const third = anAnswer(second!, 'third', { answeredAt: at(166_399.999) });
    assert.equal(await store.advanceLogin(club, aLogin().place, second!, third), true);
    await sweepAll(store, at(166_460), 5);
    // Reuse is recognised as long as a token of the login may be valid.
    const reuse = await refresh(store, aLogin(), 'late', at(252_799));
    assert.deepEqual(reuse, { outcome: 'reuse' });
    await sweepAll(store, third.forgetAt, 5);
    assert.equal(await isRevoked(store), true);
    await sweepAll(store, at(252_860), 5);
    assert.equal(await isRevoked(store), undefined);
  });

  check('DESIGN: every kind of record goes at its end', async ({ store }) => {
    await store.issueCode(aCode());
    await store.issueCode(aCode({ key: key('unspent'), transaction: 'login-2' }));
    await store.spendCode(club, partner, key('code'), aLogin(), at(0));
    await store.revoke(club, { tokenId: 'token', expiresAt: at(1800) }, at(0));
    assert.equal(await sweepAll(store, at(1799), 5), 0);
    assert.equal(await sweepAll(store, at(1800), 5), 1);
    await sweepAll(store, at(3600), 5);
    assert.equal(await sweepAll(store, at(86_459), 5), 0);
    assert.equal(await isRevoked(store), false);
    await sweepAll(store, at(86_460), 5);
    assert.equal(await findLogin(store), undefined);
    // Nothing is left of them: their names are free again.
    for (const name of ['code', 'unspent']) {
      assert.equal(await store.issueCode(aCode({ key: key(name), transaction: name })), 'issued');
    }
    const outcome = await store.spendCode(club, partner, key('code'), aLogin(), at(0));
    assert.deepEqual(outcome, { outcome: 'spent' });
  });
});
