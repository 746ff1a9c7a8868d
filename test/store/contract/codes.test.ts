// Owns the contract of authorization codes.

import assert from 'node:assert/strict';

import type { Store } from '../../../src/store/contract.ts';
import { PlaceTaken, type SpendOutcome } from '../../../src/store/grants.ts';
import {
  aCode,
  aLogin,
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
import { findCode, findLogin, isRevoked } from '../login.ts';
import type { StoreTest } from '../with_store.ts';
import { eachStore } from './stores.ts';

/** Spends `code` for the `n`-th login of its millisecond. */
function spend(store: Store, n: number, seconds: number): Promise<SpendOutcome> {
  return store.spendCode(club, partner, key('code'), nth(n), at(seconds));
}

/** What a store keeps of the code once it is spent. */
const whatIsLeft = {
  code: {
    client: aCode().client,
    redirectUri: aCode().redirectUri.slice(0, 6),
    codeChallenge: aCode().codeChallenge?.slice(0, 6),
  },
  spentFor: aLogin().place,
};

const nth = (n: number) => aLogin({ place: placeAt(0, n) });

eachStore('codes', (check) => {
  issueTests(check);
  spendTests(check);
  replayTests(check);
  raceTests(check);
});

function issueTests(check: StoreTest): void {
  check('G-2: a code comes back as it was issued, in its programme', async ({ store }) => {
    const code = aCode({ key: key('bare'), transaction: 'login-2' });
    const { scope: _scope, codeChallenge: _challenge, ...bare } = code;
    assert.equal(await store.issueCode(aCode()), 'issued');
    assert.equal(await store.issueCode(bare), 'issued');
    assert.deepEqual(await findCode(store, 'code', 0), { code: aCode() });
    assert.deepEqual(await findCode(store, 'bare', 0), { code: bare });
    assert.equal(await findCode(store, 'code', 0, otherClub), undefined);
    assert.deepEqual(await findCode(store, 'code', 3599.999), { code: aCode() });
    assert.equal(await findCode(store, 'code', 3600), undefined);
  });

  check('DESIGN: a login submitted twice has one live code', async ({ store, elsewhere }) => {
    await store.issueCode(aCode());
    assert.ok(await findCode(store, 'code', 0));
    assert.equal(await (await elsewhere()).issueCode(aCode({ key: key('second') })), 'issued');
    assert.equal(await findCode(store, 'code', 1), undefined);
    assert.deepEqual(await spend(store, 0, 1), { outcome: 'unknown' });
    const results = await inParallel(10, (n) => store.issueCode(aCode({ key: key(`n${n}`) })));
    assert.deepEqual(new Set(results), new Set(['issued']));
    const live = await inParallel(10, (n) => findCode(store, `n${n}`, 1));
    assert.equal(live.filter((code) => code !== undefined).length, 1);
  });

  check('HOSTILE 15: an attempt that began earlier and ended later changes nothing', async (o) => {
    const later = aCode({ key: key('later'), issuedAt: at(2) });
    await o.store.issueCode(later);
    const earlier = aCode({ key: key('earlier'), issuedAt: at(1) });
    assert.equal(await o.store.issueCode(earlier), 'superseded');
    assert.equal(await findCode(o.store, 'earlier', 3), undefined);
    assert.deepEqual(await findCode(o.store, 'later', 3), { code: later });
  });

  check('DESIGN: a login whose code was spent gets none', async ({ store }) => {
    await store.issueCode(aCode());
    assert.deepEqual(await spend(store, 0, 1), { outcome: 'spent' });
    assert.equal(await store.issueCode(aCode({ key: key('second') })), 'already_spent');
    assert.equal(await findCode(store, 'second', 1), undefined);
    // Another programme's login of that name is another login (C-2).
    assert.equal(await store.issueCode(aCode({ programme: otherClub })), 'issued');
  });
}

function spendTests(check: StoreTest): void {
  check('G-2: a spent code paid for its login', async (o) => {
    await o.store.issueCode(aCode());
    assert.deepEqual(await spend(o.store, 0, 119.999), { outcome: 'spent' });
    const store = await o.reopened();
    assert.deepEqual(await findLogin(store), { ...aLogin(), revoked: false });
    assert.deepEqual(await findCode(store, 'code', 120), whatIsLeft);
  });

  check('HOSTILE 23: a spend by another client or programme changes nothing', async ({ store }) => {
    await store.issueCode(aCode());
    const tries = await Promise.all([
      store.spendCode(club, otherPartner, key('code'), nth(1), at(1)),
      store.spendCode(otherClub, partner, key('code'), nth(2), at(1)),
      store.spendCode(club, partner, key('other'), nth(3), at(1)),
    ]);
    assert.deepEqual(tally(tries), { unknown: 3 });
    for (const n of [1, 2, 3]) assert.equal(await findLogin(store, nth(n)), undefined);
    assert.deepEqual(await spend(store, 0, 1), { outcome: 'spent' });
    // Nor once it is spent: a stranger cannot revoke what another was given.
    const late = await store.spendCode(club, otherPartner, key('code'), nth(4), at(2));
    assert.deepEqual(late, { outcome: 'unknown' });
    assert.equal(await isRevoked(store), false);
  });

  check('HOSTILE 24: a code is refused from its expiry on', async ({ store }) => {
    await store.issueCode(aCode());
    assert.deepEqual(await spend(store, 0, 120), { outcome: 'unknown' });
    assert.equal(await findLogin(store), undefined);
    assert.deepEqual(await spend(store, 0, 119.999), { outcome: 'spent' });
  });

  check('FAULTS 2: a spend for a place that is taken leaves the code good', async ({ store }) => {
    await store.issueCode(aCode());
    const stranger = aLogin({ client: otherPartner });
    await store.startLogin(stranger);
    await assert.rejects(spend(store, 0, 1), PlaceTaken);
    assert.deepEqual(await findLogin(store), { ...stranger, revoked: false });
    assert.deepEqual(await spend(store, 1, 1), { outcome: 'spent' });
    assert.equal(await isRevoked(store, nth(1)), false);
  });

  check('FAULTS 2: of a login and a spend at once, one has the place', async ({ store }) => {
    await store.issueCode(aCode());
    const stranger = aLogin({ client: otherPartner });
    const both = await Promise.allSettled([store.startLogin(stranger), spend(store, 0, 1)]);
    const refused = both.flatMap((one) =>
      one.status === 'rejected' ? [one.reason as unknown] : [],
    );
    assert.equal(refused.length, 1);
    assert.ok(refused[0] instanceof PlaceTaken);
    const isStrangers = both[0].status === 'fulfilled';
    const has = isStrangers ? stranger : aLogin();
    assert.deepEqual(await findLogin(store), { ...has, revoked: false });
    if (isStrangers) assert.deepEqual(await spend(store, 1, 1), { outcome: 'spent' });
  });
}

function replayTests(check: StoreTest): void {
  for (const seconds of [1, 30, 121, 86_400]) {
    check(`HOSTILE 25: a replay at ${seconds} s ends the login`, async ({ store }) => {
      await store.issueCode(aCode());
      await spend(store, 0, 0.5);
      const replayed = { outcome: 'replayed', place: aLogin().place };
      assert.deepEqual(await spend(store, 1, seconds), replayed);
      assert.deepEqual(await findLogin(store), { ...aLogin(), revoked: true });
      assert.equal(await findLogin(store, nth(1)), undefined);
      assert.deepEqual(await spend(store, 2, seconds), replayed);
    });
  }

  check('G-2: a spent code is known as long as its login, cut to what it needs', async (o) => {
    const { store } = o;
    await store.issueCode(aCode());
    await spend(store, 0, 1);
    const sweep = async (seconds: number): Promise<void> => {
      for (let calls = 0; calls < 14; calls += 1) await store.sweep(at(seconds), 100);
    };
    const later = await o.elsewhere();
    for (const seconds of [1, 3600, 86_459]) {
      await sweep(seconds);
      for (const one of [store, later]) {
        assert.deepEqual(await findCode(one, 'code', seconds), whatIsLeft);
      }
    }
    await sweep(86_459.999);
    const replayed = { outcome: 'replayed', place: aLogin().place };
    assert.deepEqual(await spend(later, 1, 86_459), replayed);
    await sweep(86_460);
    assert.equal(await findCode(later, 'code', 86_460), undefined);
    assert.deepEqual(await spend(later, 1, 86_460), { outcome: 'unknown' });
  });

  check('HOSTILE 25: a replay is known at the place that the store named', async ({ store }) => {
    await store.issueCode(aCode());
    // What is known of a code that is not spent yet stays.
    for (let calls = 0; calls < 14; calls += 1) await store.sweep(at(1), 100);
    const found = await store.findCode(club, key('code'), at(1));
    const { place } = found?.spentFor === undefined ? (found ?? {}) : {};
    assert.ok(place);
    const bought = aLogin({ place });
    const first = await store.spendCode(club, partner, key('code'), bought, at(1));
    assert.deepEqual(first, { outcome: 'spent' });
    assert.deepEqual(await findCode(store, 'code', 2), { ...whatIsLeft, spentFor: place });
    assert.deepEqual(await spend(store, 1, 2), { outcome: 'replayed', place });
    assert.equal(await isRevoked(store, bought), true);
  });

  check('HOSTILE 15: a login gets no other code until its transaction has ended', async (o) => {
    const { store } = o;
    await store.issueCode(aCode());
    await spend(store, 0, 1);
    const next = aCode({ key: key('next') });
    for (const [seconds, outcome] of [
      [3599.999, 'already_spent'],
      [3600, 'issued'],
    ] as const) {
      for (let calls = 0; calls < 14; calls += 1) await store.sweep(at(seconds), 100);
      assert.equal(await store.issueCode(next), outcome);
    }
  });
}

function raceTests(check: StoreTest): void {
  const race = async (stores: readonly Store[]): Promise<void> => {
    const store = stores[0]!;
    await store.issueCode(aCode());
    for (const one of stores) assert.ok(await findCode(one, 'code', 0));
    const results = await inParallel(20, (n) => spend(stores[n % stores.length]!, n, 1));
    assert.deepEqual(tally(results), { spent: 1, replayed: 19 });
    const { place } = nth(results.findIndex(({ outcome }) => outcome === 'spent'));
    for (const result of results) {
      if (result.outcome === 'replayed') assert.equal(result.place, place);
    }
    const begun = await inParallel(20, (n) => findLogin(store, nth(n)));
    assert.deepEqual(
      begun.flatMap((state) => state?.place ?? []),
      [place],
    );
  };

  check('HOSTILE 26: of 20 simultaneous spends exactly one wins', (o) => race([o.store]));

  check('HOSTILE 15: a login gets no other code beside a spend', async (o) => {
    const { store } = o;
    const other = (await o.another?.()) ?? store;
    const tries = await inParallel(200, async (n) => {
      const [first, second] = ['first', 'second'].map((one) => key(`${one} ${n}`));
      const transaction = `login ${n}`;
      await store.issueCode(aCode({ key: first!, transaction }));
      const [{ outcome }, issued] = await Promise.all([
        store.spendCode(club, partner, first!, nth(n), at(1)),
        other.issueCode(aCode({ key: second!, transaction })),
      ]);
      const isLive = (await findCode(store, `second ${n}`, 1)) !== undefined;
      return `${outcome} ${issued} ${isLive}`;
    });
    const both = new Set(['spent already_spent false', 'unknown issued true']);
    assert.deepEqual([...new Set(tries).difference(both)], []);
  });

  check('HOSTILE 26: of spends through two stores exactly one wins', async (o) => {
    if (o.another !== undefined) await race([o.store, await o.another()]);
  });
}
