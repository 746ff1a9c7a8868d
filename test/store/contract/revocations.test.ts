// Owns the contract of revoking all of an owner's codes, logins and own tokens.

import assert from 'node:assert/strict';

import type { Subject } from '../../../src/oauth/member.ts';
import type { Store } from '../../../src/store/contract.ts';
import type { StandingQuestion, TokenOwner } from '../../../src/store/grants.ts';
import {
  aCode,
  aLogin,
  aMember,
  anAnswer,
  aTokenOfItsOwn,
  at,
  club,
  inParallel,
  key,
  otherClub,
  otherPartner,
  partner,
  placeAt,
  tally,
} from '../fixtures.ts';
import { findCode, findLogin, isRevoked, login, refresh } from '../login.ts';
import type { StoreTest } from '../with_store.ts';
import { eachStore } from './stores.ts';

const byClient: TokenOwner = { client: partner };
const bySubject: TokenOwner = { subject: 'subject-1' };

/** Seconds by which the clocks of two processes are apart. */
const apart = [0, 0.001, 600, 315_360_000].flatMap((span) => [span, -span]);

eachStore('revoking all', (check) => {
  reachTests(check);
  orderTests(check);
  limitTests(check);
});

/** A login with its spent code, an unspent code, and a token of the client's own. */
async function setUp(store: Store): Promise<StandingQuestion> {
  await login(store);
  await store.issueCode(aCode({ key: key('unspent'), transaction: 'login-2' }));
  return aTokenOfItsOwn(await store.era());
}

/** What of it is alive, by name. */
async function living(store: Store, own: StandingQuestion): Promise<string[]> {
  const alive: readonly (readonly [string, boolean])[] = [
    ['code', (await findCode(store, 'unspent', 5)) !== undefined],
    ['login', (await isRevoked(store)) === false],
    ['own', await store.isStanding(club, own)],
  ];
  return alive.flatMap(([name, is]) => (is ? name : []));
}

function reachTests(check: StoreTest): void {
  const cases = [
    { name: 'a client’s', whose: byClient, left: [] },
    { name: 'a member’s', whose: bySubject, left: ['own'] },
  ];
  for (const { name, whose, left } of cases) {
    check(`DESIGN: ${name} tokens die at once, and stay dead`, async ({ store, reopened }) => {
      const own = await setUp(store);
      assert.deepEqual(await living(store, own), ['code', 'login', 'own']);
      await store.revoke(club, whose);
      const later = await reopened();
      assert.deepEqual(await living(later, own), left);
      assert.deepEqual(await refresh(later, aLogin(), 'late'), { outcome: 'unknown' });
      const spent = await later.spendCode(club, partner, key('unspent'), second, at(6));
      assert.deepEqual(spent, { outcome: 'unknown' });
      assert.equal(await findLogin(later, second), undefined);
      // A request that had read the login before may get this far.
      await later.advanceLogin(club, aLogin().place, aLogin(), anAnswer(aLogin(), 'late'));
      assert.equal(await isRevoked(later), true);
    });
  }

  check(
    'HOSTILE 94: a change of a member ends its tokens in the same step, if told so',
    async ({ store, reopened }) => {
      const own = await setUp(store);
      const subject = 'subject-1' as Subject;
      await store.add('member', [aMember({ subject })]);
      const change = (passwordHash: string, endsTokens: boolean, fails = false) =>
        store.change(
          'member',
          club,
          subject,
          (member) => {
            if (fails) throw new Error('no change');
            return { ...member, passwordHash };
          },
          undefined,
          endsTokens,
        );
      // As a login renews an imported hash.
      await change('renewed', false);
      await assert.rejects(change('never', true, true), /no change/);
      assert.deepEqual(await living(store, own), ['code', 'login', 'own']);
      await change('new', true);
      const later = await reopened();
      assert.deepEqual(await living(later, own), ['own']);
      assert.equal((await later.find('member', club, subject))?.passwordHash, 'new');
      await later.issueCode(aCode({ key: key('anew'), transaction: 'login-3' }));
      const anew = await later.spendCode(club, partner, key('anew'), second, at(6));
      assert.deepEqual(anew, { outcome: 'spent' });
      assert.equal(await isRevoked(later, second), false);
    },
  );

  const second = aLogin({ place: placeAt(6) });

  check('HOSTILE 29: a spend beside the revocation leaves nothing alive', async ({ store }) => {
    await inParallel(20, (n) =>
      store.issueCode(aCode({ key: key(`code ${n}`), transaction: `login ${n}` })),
    );
    const nth = (n: number) => aLogin({ place: placeAt(1, n) });
    const tries = inParallel(20, async (n) => {
      if (n === 10) await store.revoke(club, byClient);
      return store.spendCode(club, partner, key(`code ${n}`), nth(n), at(1));
    });
    // How many come before it is chance: on a slow machine one batch of statements has them all.
    const outcomes = new Set(Object.keys(tally(await tries)));
    assert.deepEqual([...outcomes.difference(new Set(['spent', 'unknown']))], []);
    const late = await store.spendCode(club, partner, key('code 10'), nth(10), at(1));
    assert.deepEqual(late, { outcome: 'unknown' });
    const left = await inParallel(20, (n) => isRevoked(store, nth(n)));
    assert.ok(left.every((revoked) => revoked !== false));
  });
}

function orderTests(check: StoreTest): void {
  for (const span of new Set(apart)) {
    const name = `FAULTS 28: issued before or after the revocation, by a clock ${span} s away`;
    check(name, async ({ store, elsewhere }) => {
      const other = await elsewhere();
      const times = { issuedAt: at(span), expiresAt: at(span + 120), forgetAt: at(span + 120) };
      const issue = async (by: Store, when: string, n: number) => {
        const begun = aLogin({ place: placeAt(Math.max(span, 0), n) });
        await by.startLogin(begun);
        await by.issueCode(aCode({ key: key(when), transaction: when, ...times }));
        return { begun, own: aTokenOfItsOwn(await by.era(), { issuedAt: at(span) }) };
      };
      const alive = async (
        by: Store,
        when: string,
        { begun, own }: Awaited<ReturnType<typeof issue>>,
      ) => [
        (await isRevoked(by, begun)) === false,
        (await findCode(by, when, span)) !== undefined,
        await by.isStanding(club, own),
      ];
      const before = await issue(store, 'before', 0);
      for (const one of [store, other]) {
        assert.deepEqual(await alive(one, 'before', before), [true, true, true]);
      }
      await other.revoke(club, byClient);
      const after = await issue(store, 'after', 1);
      for (const one of [store, other]) {
        assert.deepEqual(await alive(one, 'before', before), [false, false, false]);
        assert.deepEqual(await alive(one, 'after', after), [true, true, true]);
      }
      await other.revoke(club, bySubject);
      for (const one of [store, other]) {
        assert.deepEqual(await alive(one, 'after', after), [false, false, true]);
      }
    });
  }

  check('DESIGN: what began before the revocation dies, when it is written after', async (o) => {
    const { store } = o;
    const era = await store.era();
    await store.revoke(club, byClient);
    const late = aLogin({ place: placeAt(0, 1) });
    await store.startLogin({ ...late, era });
    await store.issueCode(aCode({ era }));
    const areDead = async (one: Store): Promise<void> => {
      assert.deepEqual(await findLogin(one, late), { ...late, revoked: true });
      assert.equal(await findCode(one, 'code', 1), undefined);
      assert.equal(await one.isStanding(club, aTokenOfItsOwn(era)), false);
    };
    await areDead(store);
    const later = await o.reopened();
    await areDead(later);
    // A code of before the revocation never pays, one of after it does not save its login's era.
    await later.issueCode(aCode({ key: key('next'), transaction: 'next' }));
    const bought = aLogin({ place: placeAt(0, 2) });
    const spent = await later.spendCode(club, partner, key('next'), { ...bought, era }, at(1));
    assert.deepEqual(spent, { outcome: 'spent' });
    assert.equal(await isRevoked(later, bought), true);
  });
}

function limitTests(check: StoreTest): void {
  check('C-2: a revocation reaches one owner in one programme', async ({ store }) => {
    const own = await setUp(store);
    await store.revoke(otherClub, byClient);
    await store.revoke(otherClub, bySubject);
    await store.revoke(club, { client: otherPartner });
    await store.revoke(club, { subject: 'subject-2' });
    // Neither a client named like a member nor a partner's own subject is that member.
    await store.revoke(club, { subject: partner });
    await store.revoke(club, { subject: `client:${partner}` });
    assert.deepEqual(await living(store, own), ['code', 'login', 'own']);
  });

  check('G-2: a code that was spent before is still a replay', async ({ store }) => {
    await setUp(store);
    await store.revoke(club, byClient);
    const replayed = { outcome: 'replayed', place: aLogin().place };
    assert.equal((await findCode(store, 'code', 6))?.spentFor, replayed.place);
    const replay = await store.spendCode(club, partner, key('code'), aLogin(), at(6));
    assert.deepEqual(replay, replayed);
    assert.equal(await store.issueCode(aCode({ key: key('second') })), 'already_spent');
  });

  check('FAULTS 8: a token of an era to come is of a life that was undone', async ({ store }) => {
    const era = await store.era();
    const next = (era + 1) as typeof era;
    assert.equal(await store.isStanding(club, aTokenOfItsOwn(next)), false);
  });
}
