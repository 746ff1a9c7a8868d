// Owns the contract of accepting a time: what a clock ahead has issued ends, and what was revoked stays so.

import assert from 'node:assert/strict';

import { instant, milliseconds } from '../../../src/lib/clock.ts';
import type { Digest } from '../../../src/lib/digest.ts';
import type { Store } from '../../../src/store/contract.ts';
import {
  aClient,
  aCode,
  aLogin,
  anAnswer,
  aSigningKey,
  aTokenOfItsOwn,
  at,
  club,
  key,
  partner,
  placeAt,
  sweepAll,
} from '../fixtures.ts';
import { findCode, findLogin, isRevoked, login } from '../login.ts';
import { eachStore } from './stores.ts';

eachStore('an accepted time', (check) => {
  check('FAULTS 11: logins of a clock ahead begin as late as it is set, others stay', async (o) => {
    const { store } = o;
    const begun = [-1, 0].map((ms) => aLogin({ place: placeAt(60 + ms / 1000, 4095) }));
    const ahead = aLogin({
      place: placeAt(600),
      answeredAt: at(650),
      forgetAt: at(87_050),
      endsAt: at(600 + 86_400 * 30),
    });
    const revoked = aLogin({ ...ahead, place: placeAt(610) });
    for (const one of [...begun, ahead, revoked]) await store.startLogin(one);
    await store.revoke(club, { place: revoked.place }, at(660));
    await store.time(at(700));
    await store.acceptTime(at(60));
    assert.equal((await store.time()).recorded, at(60));
    const times = { answeredAt: at(60), forgetAt: at(86_460), endsAt: at(60 + 86_400 * 30) };
    const expectRedated = async (one: Store): Promise<void> => {
      for (const each of begun) {
        assert.deepEqual(await findLogin(one, each), { ...each, revoked: false });
      }
      assert.deepEqual(await findLogin(one, ahead), { ...ahead, ...times, revoked: false });
      assert.equal(await isRevoked(one, revoked), true);
    };
    await expectRedated(store);
    const later = await o.reopened();
    await expectRedated(later);
    // Another time finds them where they are.
    await later.acceptTime(at(50));
    const last = await o.reopened();
    await expectRedated(last);
    const from = await findLogin(last, ahead);
    assert.ok(from);
    const next = anAnswer(from, 'next', { answeredAt: at(70) });
    assert.equal(await last.advanceLogin(club, ahead.place, from, next), true);
  });

  check('FAULTS 11, 29: what a first start ten years ahead has made lives on', async (o) => {
    const { store } = o;
    const ahead = 315_360_000;
    const endsAt = at(ahead + 86_400);
    const begun = aLogin({
      place: placeAt(ahead),
      answeredAt: at(ahead),
      forgetAt: endsAt,
      endsAt,
    });
    const longestToken = milliseconds(600_000);
    const record = { programme: club, kid: '7', sealedKey: 'sealed', createdAt: at(ahead) };
    await store.time(at(ahead));
    await store.add('client', [aClient({ createdAt: at(ahead) })]);
    await store.add('token_key', [{ ...record, longestToken, signsFrom: at(ahead) }]);
    const times = { issuedAt: at(ahead), expiresAt: at(ahead + 120), forgetAt: at(ahead + 3600) };
    await store.issueCode(aCode(times));
    await store.spendCode(club, partner, key('code'), begun, at(ahead));
    const token = { tokenId: 'jti', expiresAt: at(ahead + 1800), loginEndsAt: endsAt };
    await store.revoke(club, token, at(ahead + 1));
    await store.acceptTime(at(10));
    const later = await o.reopened();
    assert.equal(await isRevoked(later, begun), false);
    assert.equal((await findLogin(later, begun))?.endsAt, at(10 + 86_400));
    assert.equal((await later.list('token_key', club))[0]?.signsFrom, at(10));
    // A code that was spent stays so, and a token that was revoked.
    assert.equal((await findCode(later, 'code', 20))?.spentFor, begun.place);
    for (const seconds of [20, ahead + 20]) {
      await sweepAll(later, at(seconds));
      assert.equal(await later.isStanding(club, token), false);
    }
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
    const standing = async (seconds: number, of = era): Promise<boolean> =>
      store.isStanding(club, aTokenOfItsOwn(of, { issuedAt: at(seconds) }));
    assert.deepEqual(await Promise.all([standing(59), standing(60)]), [true, true]);
    assert.equal(await standing(60.001), false);
    assert.equal(await standing(600), false);
    assert.equal(await standing(600, await store.era()), true);
  });

  for (const kind of ['signing_key', 'identity_key', 'token_key'] as const) {
    check(
      `FAULTS 11, 28: each ${kind} of a clock ahead waits as before, or has begun`,
      async (o) => {
        const { store } = o;
        const longestToken = milliseconds(600_000);
        const keyOf = (kid: string, times: object) => ({
          ...aSigningKey(kid),
          sealedKey: 'sealed',
          longestToken,
          ...times,
        });
        const keys = [
          keyOf('over', { signsFrom: at(-60), signedUntil: at(550) }),
          keyOf('begun', { signsFrom: at(500) }),
          keyOf('waiting', { createdAt: at(590), signsFrom: at(1190) }),
          keyOf('told', { signsFrom: at(1200) }),
        ];
        await store.add(kind, keys);
        const listed = await store.list(kind, club);
        await store.time(at(600));
        await store.acceptTime(at(60));
        const held = await store.list(kind, club);
        assert.deepEqual(
          Object.fromEntries(held.map((one) => [one.kid, [one.signsFrom, one.signedUntil]])),
          {
            over: [at(-60), at(60)],
            begun: [at(60), undefined],
            waiting: [at(660), undefined],
            told: [at(1200), undefined],
          },
        );
        assert.notEqual(held, listed);
      },
    );
  }

  for (const seconds of [-3600, 10, 3600]) {
    check(`FAULTS 29: revoked stays revoked at a clock set to ${seconds} s`, async (o) => {
      const { store } = o;
      const own = aTokenOfItsOwn(await store.era(), { issuedAt: at(-7200) });
      const single = { tokenId: 'single', expiresAt: at(86_400) };
      const begun = aLogin({ place: placeAt(-7200), endsAt: at(86_400) });
      await store.startLogin(begun);
      await store.revoke(club, { client: partner });
      await store.revoke(club, single, at(6));
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
    await store.revoke(club, own, at(1));
    await sweepAll(store, at(86_400));
    await store.acceptTime(at(10));
    const later = await o.reopened();
    assert.equal(await later.isStanding(club, own), false);
    const longer = { ...own, tokenId: 'another', expiresAt: instant(own.expiresAt + 1) };
    assert.equal(await later.isStanding(club, longer), true);
  });

  for (const [ahead, name] of [
    [7200, 'two hours'],
    [315_360_000, 'ten years'],
  ] as const) {
    check(
      `FAULTS 33: a clock ${name} ahead that has forgotten a revocation refuses nobody`,
      async (o) => {
        const { store } = o;
        const old = aLogin({
          place: placeAt(-60),
          endsAt: at(500_000_000),
          forgetAt: at(500_000_000),
        });
        const short = aLogin({ place: placeAt(-50), endsAt: at(3600) });
        for (const one of [old, short]) await store.startLogin(one);
        const before = aTokenOfItsOwn(await store.era());
        const member = { tokenId: 'member', expiresAt: at(1800), loginEndsAt: old.endsAt };
        const brief = { tokenId: 'brief', expiresAt: at(1800), loginEndsAt: short.endsAt };
        const late = { ...before, tokenId: 'late' };
        for (const one of [before, member, brief]) await store.revoke(club, one, at(1));
        await store.revoke(club, late, at(ahead));
        // The clock ahead issues a token of an old login, and forgets its revocation too.
        const wrong = { tokenId: 'wrong', expiresAt: at(ahead + 60), loginEndsAt: old.endsAt };
        await store.revoke(club, wrong, at(ahead));
        await store.time(at(ahead + 60));
        await sweepAll(store, at(ahead + 60));
        await store.acceptTime(at(30));
        const later = await o.reopened();
        for (const one of [before, member, late, wrong]) {
          assert.equal(await later.isStanding(club, one), false, one.tokenId);
        }
        // The revocation is gone, and so is the login.
        assert.equal(await isRevoked(later, short), undefined);
        assert.equal(await isRevoked(later, old), false);
        // What the right clock issued before, and whatever is issued since.
        const longer = { ...before, tokenId: 'longer', expiresAt: instant(short.endsAt + 1) };
        const fresh = aTokenOfItsOwn(await later.era(), { issuedAt: at(30) });
        const again = { tokenId: 'again', expiresAt: at(1830), loginEndsAt: old.endsAt };
        for (const one of [longer, fresh, again]) {
          assert.equal(await later.isStanding(club, one), true, one.tokenId);
        }
        // A second time that is accepted brings none of them back, and ends none of those issued between.
        await later.acceptTime(at(40));
        const last = await o.reopened();
        for (const one of [before, member, late, wrong]) {
          assert.equal(await last.isStanding(club, one), false, one.tokenId);
        }
        assert.equal(await last.isStanding(club, fresh), true);
      },
    );
  }

  check(
    'FAULTS 33: secrets of a clock ahead are as old as the time that is accepted',
    async (o) => {
      const { store } = o;
      const [old, fresh, ended] = ['old', 'new', 'ended'] as [Digest, Digest, Digest];
      // Rotated by a clock that was an hour ahead, ten minutes before it was set right.
      const secrets = [
        { digest: old, createdAt: at(0), expiresAt: at(3600 + 1800) },
        { digest: fresh, createdAt: at(3600) },
        { digest: ended, createdAt: at(0), expiresAt: at(3600 + 60) },
      ];
      await store.add('client', [aClient({ secrets, createdAt: at(3600) })]);
      await store.time(at(3600 + 600));
      await store.acceptTime(at(600));
      const found = await (await o.reopened()).find('client', club, partner);
      assert.deepEqual(found?.createdAt, at(600));
      const [first] = found?.secrets ?? [];
      // By the time that the clock ahead had come to, which goes on by itself.
      const left = (first?.expiresAt ?? 0) - at(600 + 1200);
      assert.ok(left <= 0 && left > -10_000, `${left}`);
      assert.deepEqual(found?.secrets, [
        { digest: old, createdAt: at(0), expiresAt: first?.expiresAt },
        { digest: fresh, createdAt: at(600) },
        { digest: ended, createdAt: at(0), expiresAt: at(600) },
      ]);
    },
  );

  check(
    'FAULTS 33: a clock that starts ten years ahead sweeps again once it is set right',
    async (o) => {
      await o.store.time(at(0));
      const store = await o.reopened();
      await store.sweep(at(315_360_000), 10);
      await store.acceptTime(at(10));
      await store.revoke(club, { tokenId: 'token', expiresAt: at(60) }, at(10));
      assert.equal(await sweepAll(store, at(60)), 1);
    },
  );

  check('FAULTS 33: what is revoked once a clock ahead takes it for over stays dead', async (o) => {
    const { store } = o;
    const own = aTokenOfItsOwn(await store.era());
    const old = aLogin({ endsAt: at(3600) });
    const member = { tokenId: 'member', expiresAt: at(1800), loginEndsAt: old.endsAt };
    await store.startLogin(old);
    await store.time(at(7200));
    await store.revoke(club, own, at(7200));
    await store.acceptTime(at(10));
    assert.equal(await store.isStanding(club, own), false);
    assert.equal(await isRevoked(store, old), false);
    await store.time(at(7200));
    await store.revoke(club, member, at(7200));
    await store.acceptTime(at(20));
    const later = await o.reopened();
    assert.equal(await later.isStanding(club, own), false);
    assert.equal(await isRevoked(later, old), undefined);
  });

  check('FAULTS 30: a process that has yet to follow sweeps nothing by its clock', async (o) => {
    const other = await o.elsewhere();
    if (other === o.store) return;
    await o.store.startLogin(aLogin());
    await o.store.time(at(315_360_000));
    await o.store.acceptTime(at(10));
    assert.equal(await sweepAll(other, at(315_360_000)), 0);
    assert.equal(await isRevoked(o.store), false);
    await other.acceptTime(at(10), 'another_process');
    const token = { tokenId: 'token', expiresAt: at(60) };
    await other.revoke(club, token, at(10));
    assert.equal(await sweepAll(other, at(60)), 1);
  });

  check('FAULTS 30: a process follows an accepted time before it records its own', async (o) => {
    const { store } = o;
    const other = await o.elsewhere();
    if (other === store) return;
    for (const one of [store, other]) await one.time(at(3600));
    await store.acceptTime(at(60));
    assert.equal((await store.time()).acceptedElsewhere, undefined);
    const { acceptedElsewhere, recorded } = await other.time();
    assert.deepEqual([acceptedElsewhere, recorded], [at(60), at(60)]);
    await other.time(at(3640));
    assert.equal((await store.time()).recorded, at(60));
    // What is issued at that time is live, though not by the clock that has still to follow.
    const [late, soon] = [aLogin({ place: placeAt(3640) }), aLogin({ place: placeAt(61.2) })];
    await other.startLogin(late);
    await store.startLogin(soon);
    await other.acceptTime(at(61), 'another_process');
    assert.equal((await other.time()).acceptedElsewhere, undefined);
    assert.equal(await findLogin(other, late), undefined);
    assert.ok(await findLogin(other, soon));
    await other.time(at(100));
    assert.equal((await store.time()).recorded, at(100));
    assert.equal((await (await o.reopened()).time()).acceptedElsewhere, undefined);
  });

  check('FAULTS 11: a login goes on after a clock was set right', async ({ store }) => {
    await login(store);
    await store.acceptTime(at(5));
    assert.deepEqual(await findLogin(store), { ...aLogin(), revoked: false });
    assert.equal((await findCode(store, 'code', 5))?.spentFor, aLogin().place);
  });
});
