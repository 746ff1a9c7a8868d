// Owns the histories by which a model of the design once found a fault (TOKENS 8.1), on a real store.

import assert from 'node:assert/strict';

import { instant, milliseconds } from '../../../src/lib/clock.ts';
import type { LoginState } from '../../../src/oauth/grant.ts';
import type { Store } from '../../../src/store/contract.ts';
import type { NewLogin } from '../../../src/store/grants.ts';
import { judgeRefresh } from '../../../src/store/judgement.ts';
import { aCode, aLogin, anAnswer, at, club, key, partner, sweepAll } from '../fixtures.ts';
import { findLogin, isRevoked, refresh, tokenOf } from '../login.ts';
import { eachStore } from './stores.ts';

/** Begins the login and uses its first refresh token at second 1. */
async function refreshed(store: Store, over: Partial<NewLogin> = {}): Promise<LoginState> {
  await store.startLogin(aLogin(over));
  const { state } = await refresh(store, aLogin(over), 'second');
  assert.ok(state);
  return state;
}

eachStore('histories of TOKENS 8.1', (check) => {
  check('2, 3: a write of unknown outcome, tried again later, changes nothing', async (o) => {
    const { store } = o;
    const second = await refreshed(store);
    const retry = await refresh(store, aLogin(), 'another', at(2));
    assert.deepEqual(retry, { outcome: 'retry', state: second });
    const { state: third } = await refresh(store, second, 'third', at(3));
    const again = anAnswer(aLogin(), 'second');
    assert.equal(await store.advanceLogin(club, second.place, aLogin(), again), false);
    assert.deepEqual(await findLogin(store), third);
  });

  check(
    '4: any number of retries leave the login as it was answered',
    async ({ store, elsewhere }) => {
      const second = await refreshed(store);
      for (const by of [store, await elsewhere(), store]) {
        assert.deepEqual(await refresh(by, aLogin(), 'again', at(5)), {
          outcome: 'retry',
          state: second,
        });
      }
      assert.deepEqual(await findLogin(store), second);
    },
  );

  check(
    '6: a token that is ahead of its login changes nothing, and its login can be revoked',
    async (o) => {
      const { store } = o;
      // The store went back: it knows the first answer alone.
      await store.startLogin(aLogin());
      const lost: LoginState = { ...aLogin(), ...anAnswer(aLogin(), 'lost'), revoked: false };
      assert.deepEqual(await refresh(store, lost, 'next'), { outcome: 'ahead' });
      assert.deepEqual(await findLogin(store), { ...aLogin(), revoked: false });
      await store.revoke(club, { place: lost.place }, at(2));
      assert.deepEqual(await refresh(store, aLogin(), 'next'), { outcome: 'unknown' });
    },
  );

  check('7: a retry just after the presented token’s own end is answered', async ({ store }) => {
    await store.startLogin(aLogin());
    const end = aLogin().refreshSpan;
    const used = await refresh(store, aLogin(), 'second', instant(at(0) + end - 1));
    assert.equal(used.outcome, 'rotate');
    const late = await refresh(store, aLogin(), 'again', instant(at(0) + end + 2000));
    assert.deepEqual(late, { outcome: 'retry', state: used.state });
    assert.equal(await isRevoked(store), false);
  });

  check('8, 9: a login whose request is under way is not swept from under it', async (o) => {
    const other = await o.elsewhere();
    await o.store.startLogin(aLogin());
    const { forgetAt } = aLogin();
    const read = await findLogin(o.store);
    await sweepAll(other, instant(forgetAt + 59_999), 10);
    const answer = anAnswer(read!, 'in time', { answeredAt: instant(forgetAt - 1) });
    assert.equal(await o.store.advanceLogin(club, read!.place, read!, answer), true);
    // The sweeper goes by what the login is now.
    await sweepAll(other, instant(forgetAt + 60_000), 10);
    assert.equal((await findLogin(o.store))?.generation, 2);
  });

  check(
    '10: without the key of the answer its retry is unknown, and the login lives',
    async (o) => {
      const second = await refreshed(o.store);
      const without = { ...tokenOf(aLogin()), successorDigest: () => undefined };
      const [inTime, late] = [at(11), at(11.001)].map((now) => judgeRefresh(second, without, now));
      assert.deepEqual([inTime, late], ['unknown', 'reuse']);
      assert.equal((await refresh(o.store, second, 'third', at(12))).outcome, 'rotate');
    },
  );

  check('13: a revocation between the reads of a grant and its write takes it along', async (o) => {
    const { store } = o;
    await store.issueCode(aCode());
    const era = await store.era();
    assert.ok(await store.findCode(club, key('code'), at(1)));
    await (await o.elsewhere()).revoke(club, { client: partner });
    const spent = await store.spendCode(club, partner, key('code'), aLogin(), at(2));
    assert.deepEqual(spent, { outcome: 'unknown' });
    assert.equal(await findLogin(store), undefined);
    await store.startLogin({ ...aLogin(), era });
    assert.equal(await isRevoked(store), true);
  });

  check(
    '13: a revocation between the read of a refresh and its write takes it along',
    async (o) => {
      const { store } = o;
      await store.startLogin(aLogin());
      const read = await findLogin(store);
      await (await o.elsewhere()).revoke(club, { client: partner });
      await store.advanceLogin(club, read!.place, read!, anAnswer(read!, 'late'));
      assert.equal(await isRevoked(store), true);
    },
  );

  check('grace 0 in the millisecond of the answer is reuse', async ({ store }) => {
    const second = await refreshed(store, { retrySpan: milliseconds(0) });
    assert.equal(second.retrySpan, 0);
    const first = aLogin();
    assert.deepEqual(await refresh(store, first, 'again', second.answeredAt), { outcome: 'reuse' });
    assert.equal(await isRevoked(store), true);
  });
});
