// Owns the contract of authorization codes.

import assert from 'node:assert/strict';

import type { Store } from '../../src/store/contract.ts';
import type { SpendOutcome } from '../../src/store/grants.ts';
import {
  aCode,
  aFamily,
  anAccessToken,
  aRefreshToken,
  at,
  club,
  familyId,
  inParallel,
  key,
  otherClub,
  otherPartner,
  partner,
  tally,
} from './fixtures.ts';
import { findAccess, findCode, findRefresh } from './login.ts';
import type { StoreTest } from './with_store.ts';

/** Spends `code` for a family with one access and one refresh token, all named after `name`. */
function spend(store: Store, name: string, seconds: number): Promise<SpendOutcome> {
  const family = aFamily({ id: familyId(`family ${name}`) });
  return store.spendCode(club, partner, key('code'), purchase(name, family), at(seconds));
}

function purchase(name: string, family = aFamily({ id: familyId(`family ${name}`) })) {
  return {
    family,
    access: anAccessToken(`access ${name}`, { family: family.id }),
    refresh: aRefreshToken(`refresh ${name}`),
  };
}

export function codeTests(check: StoreTest): void {
  issueTests(check);
  spendTests(check);
  replayTests(check);
  raceTests(check);
}

function issueTests(check: StoreTest): void {
  check('G-2: a code comes back as it was issued, in its programme', async ({ store }) => {
    const code = aCode({ key: key('bare'), transaction: 'login-2' });
    const { scope: _scope, codeChallenge: _challenge, ...bare } = code;
    assert.equal(await store.issueCode(aCode()), 'issued');
    assert.equal(await store.issueCode(bare), 'issued');
    assert.deepEqual(await findCode(store, 'code', 0), aCode());
    assert.deepEqual(await findCode(store, 'bare', 0), bare);
    assert.equal(await findCode(store, 'code', 0, otherClub), undefined);
    assert.deepEqual(await findCode(store, 'code', 3599.999), aCode());
    assert.equal(await findCode(store, 'code', 3600), undefined);
  });

  check('DESIGN: a login submitted twice has one live code', async ({ store }) => {
    await store.issueCode(aCode());
    assert.equal(await store.issueCode(aCode({ key: key('second') })), 'issued');
    assert.equal(await findCode(store, 'code', 1), undefined);
    assert.deepEqual(await spend(store, 'x', 1), { outcome: 'unknown' });
    const results = await inParallel(10, (n) => store.issueCode(aCode({ key: key(`n${n}`) })));
    assert.deepEqual(new Set(results), new Set(['issued']));
    const live = await inParallel(10, (n) => findCode(store, `n${n}`, 1));
    assert.equal(live.filter((code) => code !== undefined).length, 1);
  });

  check(
    'HOSTILE 15: an attempt that began earlier and ended later changes nothing',
    async ({ store }) => {
      await store.issueCode(aCode({ key: key('later'), issuedAt: at(2) }));
      const earlier = aCode({ key: key('earlier'), issuedAt: at(1) });
      assert.equal(await store.issueCode(earlier), 'superseded');
      assert.equal(await findCode(store, 'earlier', 3), undefined);
      assert.equal((await findCode(store, 'later', 3))?.key, key('later'));
    },
  );

  check('DESIGN: a login whose code was spent gets none', async ({ store }) => {
    await store.issueCode(aCode());
    assert.deepEqual(await spend(store, 'x', 1), { outcome: 'spent' });
    assert.equal(await store.issueCode(aCode({ key: key('second') })), 'already_spent');
    assert.equal(await findCode(store, 'second', 1), undefined);
    // Another programme's login of that name is another login (C-2).
    assert.equal(await store.issueCode(aCode({ programme: otherClub })), 'issued');
  });
}

function spendTests(check: StoreTest): void {
  check('G-2: a spent code paid for its family and tokens', async ({ store }) => {
    await store.issueCode(aCode());
    assert.deepEqual(await spend(store, 'x', 119.999), { outcome: 'spent' });
    assert.deepEqual(await findRefresh(store, 'refresh x', 120), {
      ...aRefreshToken('refresh x'),
      family: aFamily({ id: familyId('family x') }),
      revoked: false,
      rotated: false,
    });
    assert.deepEqual(
      await findAccess(store, 'access x', 120),
      anAccessToken('access x', { family: familyId('family x') }),
    );
  });

  check('HOSTILE 23: a spend by another client or programme changes nothing', async ({ store }) => {
    await store.issueCode(aCode());
    const tries = await Promise.all([
      store.spendCode(club, otherPartner, key('code'), purchase('a'), at(1)),
      store.spendCode(otherClub, partner, key('code'), purchase('b'), at(1)),
      store.spendCode(club, partner, key('other'), purchase('c'), at(1)),
    ]);
    assert.deepEqual(tally(tries), { unknown: 3 });
    for (const name of ['a', 'b', 'c']) {
      assert.equal(await findAccess(store, `access ${name}`, 1), undefined);
      assert.equal(await findRefresh(store, `refresh ${name}`, 1), undefined);
    }
    assert.deepEqual(await spend(store, 'x', 1), { outcome: 'spent' });
    // Nor does it once the code is spent: a stranger cannot revoke what another was given.
    const late = await store.spendCode(club, otherPartner, key('code'), purchase('d'), at(2));
    assert.deepEqual(late, { outcome: 'unknown' });
    assert.ok(await findAccess(store, 'access x', 2));
  });

  check('HOSTILE 24: a code is refused from its expiry on', async ({ store }) => {
    await store.issueCode(aCode());
    assert.deepEqual(await spend(store, 'x', 120), { outcome: 'unknown' });
    assert.equal(await findAccess(store, 'access x', 120), undefined);
    assert.deepEqual(await spend(store, 'x', 119), { outcome: 'spent' });
  });

  check('FAULTS 2: a spend that fails half-way leaves the code good', async ({ store }) => {
    await store.issueCode(aCode());
    await store.issueCode(aCode({ key: key('first'), transaction: 'login-0' }));
    await store.spendCode(club, partner, key('first'), purchase('taken'), at(1));
    const clash = { ...purchase('x'), refresh: aRefreshToken('refresh taken') };
    const results = await Promise.allSettled([
      store.saveAccessToken(anAccessToken('neighbour', { family: familyId('family taken') })),
      store.spendCode(club, partner, key('code'), clash, at(1)),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    );
    assert.ok(await findAccess(store, 'neighbour', 1));
    assert.equal(await findAccess(store, 'access x', 1), undefined);
    assert.deepEqual(await spend(store, 'x', 1), { outcome: 'spent' });
  });
}

function replayTests(check: StoreTest): void {
  for (const seconds of [1, 30, 121, 86_400]) {
    check(`HOSTILE 25: a replay at ${seconds} s kills the first tokens`, async ({ store }) => {
      await store.issueCode(aCode());
      await spend(store, 'x', 0.5);
      const access = anAccessToken('fresh', { family: familyId('family x'), expiresAt: at(1e6) });
      await store.saveAccessToken(access);
      const replay = await spend(store, 'y', seconds);
      assert.deepEqual(replay, { outcome: 'replayed', family: 'family x' });
      assert.equal(await findAccess(store, 'fresh', seconds), undefined);
      assert.equal(await findAccess(store, 'access y', seconds), undefined);
      assert.equal(await findRefresh(store, 'refresh y', 1), undefined);
      assert.equal((await findRefresh(store, 'refresh x', 1))?.revoked, true);
      assert.deepEqual(await spend(store, 'z', seconds), replay);
    });
  }

  check('G-2: a spent code is known as long as its family may live', async ({ store }) => {
    const { endsAt } = aFamily();
    await store.issueCode(aCode());
    await spend(store, 'x', 1);
    assert.deepEqual(await findCode(store, 'code', 86_400), aCode({ forgetAt: endsAt }));
    assert.equal(await store.findCode(club, key('code'), endsAt), undefined);
    assert.deepEqual(await store.spendCode(club, partner, key('code'), purchase('y'), endsAt), {
      outcome: 'unknown',
    });
  });

  check('G-2: a family that ends early does not shorten the memory', async ({ store }) => {
    await store.issueCode(aCode());
    const family = aFamily({ endsAt: at(60) });
    await store.spendCode(club, partner, key('code'), { family }, at(1));
    assert.deepEqual(await findCode(store, 'code', 3599), aCode());
  });
}

function raceTests(check: StoreTest): void {
  check('HOSTILE 26: of 50 simultaneous spends exactly one wins', async ({ store }) => {
    await store.issueCode(aCode());
    const results = await inParallel(50, (n) => spend(store, `${n}`, 1));
    assert.deepEqual(tally(results), { spent: 1, replayed: 49 });
    const winner = results.findIndex(({ outcome }) => outcome === 'spent');
    const families = results.map((r) => (r.outcome === 'replayed' ? r.family : undefined));
    assert.deepEqual(new Set(families), new Set([undefined, `family ${winner}`]));
    const issued = await inParallel(50, (n) => findRefresh(store, `refresh ${n}`, 1));
    assert.equal(issued.filter((token) => token !== undefined).length, 1);
  });

  check('HOSTILE 26: of spends through two stores exactly one wins', async (o) => {
    if (o.another === undefined) return;
    const stores = [o.store, await o.another()] as const;
    await o.store.issueCode(aCode());
    const results = await inParallel(50, (n) => spend(stores[n % 2 === 0 ? 0 : 1], `${n}`, 1));
    assert.deepEqual(tally(results), { spent: 1, replayed: 49 });
  });
}
