// Owns the contract of accepting a time: what a clock ahead has issued ends, and what was revoked stays so.

import assert from 'node:assert/strict';

import { instant, milliseconds } from '../../src/lib/clock.ts';
import type { Store } from '../../src/store/contract.ts';
import { aCode, aLogin, aTokenOfItsOwn, at, club, key, partner, placeAt } from './fixtures.ts';
import { findCode, findLogin, isRevoked, login } from './login.ts';
import type { StoreTest } from './with_store.ts';

export function acceptedTimeTests(check: StoreTest): void {
  check('FAULTS 11: logins that began later end, others live on', async ({ store, reopened }) => {
    const begun = [-1, 0, 1].map((ms) => aLogin({ place: placeAt(60 + ms / 1000, 4095) }));
    const first = aLogin({ place: placeAt(60.001, 0) });
    for (const one of [...begun, first]) await store.startLogin(one);
    await store.time(at(600));
    await store.acceptTime(at(60));
    assert.equal((await store.time()).recorded, at(60));
    const expectLeft = async (one: Store): Promise<void> => {
      const found = await Promise.all([...begun, first].map((each) => isRevoked(one, each)));
      assert.deepEqual(found, [false, false, undefined, undefined]);
    };
    await expectLeft(store);
    const later = await reopened();
    await expectLeft(later);
    // Their time comes and does not bring them back; their places are free.
    await later.startLogin(first);
    assert.deepEqual(await findLogin(later, first), { ...first, revoked: false });
  });

  check('FAULTS 11: codes and own tokens of a clock ahead end', async ({ store }) => {
    const times = { expiresAt: at(2400), forgetAt: at(2400) };
    for (const ms of [0, 1]) {
      const issuedAt = instant(at(60) + ms);
      await store.issueCode(aCode({ key: key(`${ms}`), transaction: `${ms}`, issuedAt, ...times }));
    }
    const era = await store.era();
    await store.time(at(600));
    await store.acceptTime(at(60));
    const found = await Promise.all([findCode(store, '0', 700), findCode(store, '1', 700)]);
    assert.deepEqual(
      found.map((code) => code !== undefined),
      [true, false],
    );
    const standing = (seconds: number, of = era): Promise<boolean> =>
      store.isStanding(club, aTokenOfItsOwn(of, { issuedAt: at(seconds) }));
    assert.deepEqual(await Promise.all([standing(59), standing(60)]), [true, true]);
    assert.equal(await standing(60.001), false);
    assert.equal(await standing(600), false);
    assert.equal(await standing(600, await store.era()), true);
  });

  check('FAULTS 11: a key that the clock ahead let begin has begun', async ({ store }) => {
    const longestToken = milliseconds(600_000);
    const record = { programme: club, sealedKey: 'sealed', createdAt: at(0), longestToken };
    const keys = [0, 500].map((seconds) => ({
      ...record,
      kid: String(seconds),
      signsFrom: at(seconds),
    }));
    await store.add('token_key', keys);
    const epoch = await store.epoch('token_key');
    await store.time(at(600));
    await store.acceptTime(at(60));
    const begun = (await store.list('token_key', club)).map(({ signsFrom }) => signsFrom);
    assert.deepEqual(begun, [at(0), at(60)]);
    assert.notEqual(await store.epoch('token_key'), epoch);
  });

  for (const seconds of [-3600, 10, 3600]) {
    check(`FAULTS 29: revoked stays revoked at a clock set to ${seconds} s`, async (o) => {
      const { store } = o;
      const own = aTokenOfItsOwn(await store.era(), { issuedAt: at(-7200) });
      const single = { tokenId: 'single', expiresAt: at(86_400) };
      const begun = aLogin({ place: placeAt(-7200), endsAt: at(86_400) });
      await store.startLogin(begun);
      await store.revokeAll(club, { client: partner });
      await store.revokeToken(club, single, at(6));
      await store.acceptTime(at(seconds));
      const later = await o.reopened();
      assert.equal(await isRevoked(later, begun), true);
      assert.equal(await later.isStanding(club, own), false);
      assert.equal(await later.isStanding(club, single), false);
      // Nothing is revoked that is issued from then on.
      const fresh = aLogin({ place: placeAt(seconds) });
      await later.startLogin(fresh);
      assert.equal(await isRevoked(later, fresh), false);
      const next = aTokenOfItsOwn(await later.era(), { issuedAt: at(seconds) });
      assert.equal(await later.isStanding(club, next), true);
    });
  }

  check('FAULTS 29: a revocation that was forgotten does not come back', async (o) => {
    const { store } = o;
    const own = aTokenOfItsOwn(await store.era());
    await store.revokeToken(club, own, at(1));
    for (let calls = 0; calls < 12; calls += 1) await store.sweep(at(86_400), 100);
    await store.acceptTime(at(10));
    const later = await o.reopened();
    assert.equal(await later.isStanding(club, own), false);
    const longer = { ...own, tokenId: 'another', expiresAt: instant(own.expiresAt + 1) };
    assert.equal(await later.isStanding(club, longer), true);
  });

  check('FAULTS 11: a login goes on after a clock was set right', async ({ store }) => {
    await login(store);
    await store.acceptTime(at(5));
    assert.deepEqual(await findLogin(store), { ...aLogin(), revoked: false });
    assert.equal((await findCode(store, 'code', 5))?.spentFor, aLogin().place);
  });
}
