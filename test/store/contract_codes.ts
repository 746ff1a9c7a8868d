// Owns the contract of authorization codes.

import assert from 'node:assert/strict';
import { describe } from 'node:test';

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
import { withStore, type Open } from './with_store.ts';

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

export function codeTests(open: Open): void {
  describe('codes', () => {
    issueTests(open);
    spendTests(open);
    replayTests(open);
    raceTests(open);
  });
}

function issueTests(open: Open): void {
  withStore(open, 'G-2: a code comes back as it was issued, in its programme', async (o) => {
    const { store } = o;
    const {
      scope: _scope,
      codeChallenge: _challenge,
      ...bare
    } = aCode({
      key: key('bare'),
      transaction: 'login-2',
    });
    assert.equal(await store.issueCode(aCode()), 'issued');
    assert.equal(await store.issueCode(bare), 'issued');
    assert.deepEqual(await store.findCode(club, key('code'), at(0)), aCode());
    assert.deepEqual(await store.findCode(club, key('bare'), at(0)), bare);
    assert.equal(await store.findCode(otherClub, key('code'), at(0)), undefined);
    assert.deepEqual(await store.findCode(club, key('code'), at(3599.999)), aCode());
    assert.equal(await store.findCode(club, key('code'), at(3600)), undefined);
  });

  withStore(open, 'DESIGN: a login submitted twice has one live code', async ({ store }) => {
    await store.issueCode(aCode());
    assert.equal(await store.issueCode(aCode({ key: key('second') })), 'issued');
    assert.equal(await store.findCode(club, key('code'), at(1)), undefined);
    assert.deepEqual(await spend(store, 'x', 1), { outcome: 'unknown' });
    const results = await inParallel(10, (n) => store.issueCode(aCode({ key: key(`n${n}`) })));
    assert.deepEqual(new Set(results), new Set(['issued']));
    const live = await inParallel(10, (n) => store.findCode(club, key(`n${n}`), at(1)));
    assert.equal(live.filter((code) => code !== undefined).length, 1);
  });

  withStore(
    open,
    'HOSTILE 15: an attempt that began earlier and ended later changes nothing',
    async ({ store }) => {
      await store.issueCode(aCode({ key: key('later'), issuedAt: at(2) }));
      const earlier = aCode({ key: key('earlier'), issuedAt: at(1) });
      assert.equal(await store.issueCode(earlier), 'superseded');
      assert.equal(await store.findCode(club, key('earlier'), at(3)), undefined);
      assert.equal((await store.findCode(club, key('later'), at(3)))?.key, key('later'));
    },
  );

  withStore(open, 'DESIGN: a login whose code was spent gets none', async ({ store }) => {
    await store.issueCode(aCode());
    assert.deepEqual(await spend(store, 'x', 1), { outcome: 'spent' });
    assert.equal(await store.issueCode(aCode({ key: key('second') })), 'already_spent');
    assert.equal(await store.findCode(club, key('second'), at(1)), undefined);
    // Another programme's login of that name is another login (C-2).
    assert.equal(await store.issueCode(aCode({ programme: otherClub })), 'issued');
  });
}

function spendTests(open: Open): void {
  withStore(open, 'G-2: a spent code paid for its family and tokens', async ({ store }) => {
    await store.issueCode(aCode());
    assert.deepEqual(await spend(store, 'x', 119.999), { outcome: 'spent' });
    assert.deepEqual(await store.findRefreshToken(club, key('refresh x'), at(120)), {
      ...aRefreshToken('refresh x'),
      family: aFamily({ id: familyId('family x') }),
      revoked: false,
      rotated: false,
    });
    assert.deepEqual(
      await store.findAccessToken(club, key('access x'), at(120)),
      anAccessToken('access x', { family: familyId('family x') }),
    );
  });

  withStore(open, 'HOSTILE 23: another client or programme changes nothing', async ({ store }) => {
    await store.issueCode(aCode());
    const tries = await Promise.all([
      store.spendCode(club, otherPartner, key('code'), purchase('a'), at(1)),
      store.spendCode(otherClub, partner, key('code'), purchase('b'), at(1)),
      store.spendCode(club, partner, key('other'), purchase('c'), at(1)),
    ]);
    assert.deepEqual(tally(tries), { unknown: 3 });
    for (const name of ['a', 'b', 'c']) {
      assert.equal(await store.findAccessToken(club, key(`access ${name}`), at(1)), undefined);
      assert.equal(await store.findRefreshToken(club, key(`refresh ${name}`), at(1)), undefined);
    }
    assert.deepEqual(await spend(store, 'x', 1), { outcome: 'spent' });
    // Nor does it once the code is spent: a stranger cannot revoke what another was given.
    const late = await store.spendCode(club, otherPartner, key('code'), purchase('d'), at(2));
    assert.deepEqual(late, { outcome: 'unknown' });
    assert.ok(await store.findAccessToken(club, key('access x'), at(2)));
  });

  withStore(open, 'HOSTILE 24: a code is refused from its expiry on', async ({ store }) => {
    await store.issueCode(aCode());
    assert.deepEqual(await spend(store, 'x', 120), { outcome: 'unknown' });
    assert.equal(await store.findAccessToken(club, key('access x'), at(120)), undefined);
    assert.deepEqual(await spend(store, 'x', 119), { outcome: 'spent' });
  });

  withStore(open, 'FAULTS 2: a spend that fails half-way leaves the code good', async (o) => {
    const { store } = o;
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
    assert.ok(await store.findAccessToken(club, key('neighbour'), at(1)));
    assert.equal(await store.findAccessToken(club, key('access x'), at(1)), undefined);
    assert.deepEqual(await spend(store, 'x', 1), { outcome: 'spent' });
  });
}

function replayTests(open: Open): void {
  for (const seconds of [1, 30, 121, 86_400]) {
    withStore(open, `HOSTILE 25: a replay at ${seconds} s kills the first tokens`, async (o) => {
      const { store } = o;
      await store.issueCode(aCode());
      await spend(store, 'x', 0.5);
      const access = anAccessToken('fresh', { family: familyId('family x'), expiresAt: at(1e6) });
      await store.saveAccessToken(access);
      const replay = await spend(store, 'y', seconds);
      assert.deepEqual(replay, { outcome: 'replayed', family: 'family x' });
      assert.equal(await store.findAccessToken(club, key('fresh'), at(seconds)), undefined);
      assert.equal(await store.findAccessToken(club, key('access y'), at(seconds)), undefined);
      assert.equal(await store.findRefreshToken(club, key('refresh y'), at(1)), undefined);
      assert.equal((await store.findRefreshToken(club, key('refresh x'), at(1)))?.revoked, true);
      assert.deepEqual(await spend(store, 'z', seconds), replay);
    });
  }

  withStore(open, 'G-2: a spent code is known as long as its family may live', async (o) => {
    const { store } = o;
    const { endsAt } = aFamily();
    await store.issueCode(aCode());
    await spend(store, 'x', 1);
    assert.deepEqual(
      await store.findCode(club, key('code'), at(86_400)),
      aCode({ forgetAt: endsAt }),
    );
    assert.equal(await store.findCode(club, key('code'), endsAt), undefined);
    assert.deepEqual(await store.spendCode(club, partner, key('code'), purchase('y'), endsAt), {
      outcome: 'unknown',
    });
  });

  withStore(
    open,
    'G-2: a family that ends early does not shorten the memory',
    async ({ store }) => {
      await store.issueCode(aCode());
      const family = aFamily({ endsAt: at(60) });
      await store.spendCode(club, partner, key('code'), { family }, at(1));
      assert.deepEqual(await store.findCode(club, key('code'), at(3599)), aCode());
    },
  );
}

function raceTests(open: Open): void {
  withStore(open, 'HOSTILE 26: of 50 simultaneous spends exactly one wins', async ({ store }) => {
    await store.issueCode(aCode());
    const results = await inParallel(50, (n) => spend(store, `${n}`, 1));
    assert.deepEqual(tally(results), { spent: 1, replayed: 49 });
    const winner = results.findIndex(({ outcome }) => outcome === 'spent');
    const families = results.map((r) => (r.outcome === 'replayed' ? r.family : undefined));
    assert.deepEqual(new Set(families), new Set([undefined, `family ${winner}`]));
    const issued = await inParallel(50, (n) =>
      store.findRefreshToken(club, key(`refresh ${n}`), at(1)),
    );
    assert.equal(issued.filter((token) => token !== undefined).length, 1);
  });

  withStore(open, 'HOSTILE 26: nor is there a second winner through a second store', async (o) => {
    if (o.another === undefined) return;
    const stores = [o.store, await o.another()] as const;
    await o.store.issueCode(aCode());
    const results = await inParallel(50, (n) => spend(stores[n % 2 === 0 ? 0 : 1], `${n}`, 1));
    assert.deepEqual(tally(results), { spent: 1, replayed: 49 });
  });
}
