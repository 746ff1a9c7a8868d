// Owns the contract of logins: beginning, advancing and revoking one of them.

import assert from 'node:assert/strict';

import { milliseconds } from '../../../src/lib/clock.ts';
import type { Answer } from '../../../src/oauth/grant.ts';
import type { Subject } from '../../../src/oauth/member.ts';
import type { Store } from '../../../src/store/contract.ts';
import { type NewLogin, PlaceTaken } from '../../../src/store/grants.ts';
import { answerIn } from '../../../src/store/judgement.ts';
import {
  aLogin,
  anAnswer,
  at,
  club,
  inParallel,
  otherClub,
  placeAt,
  sweepAll,
  tally,
} from '../fixtures.ts';
import { findLogin, isRevoked, refresh } from '../login.ts';
import type { StoreTest } from '../with_store.ts';
import { eachStore } from './stores.ts';

/** What a login keeps whatever is answered: an advanced login is this and its last answer. */
function constantOf(login: NewLogin) {
  const { programme, place, client, member, scope, endsAt, loginDigest } = login;
  return { programme, place, client, member, scope, endsAt, loginDigest };
}

function advance(store: Store, from: Answer, to: Answer): Promise<boolean> {
  const { programme, place } = aLogin();
  return store.advanceLogin(programme, place, from, to);
}

eachStore('logins', (check) => {
  startTests(check);
  advanceTests(check);
  raceTests(check);
  revokeTests(check);
});

function startTests(check: StoreTest): void {
  const decade = milliseconds(3650 * 86_400_000);
  const extreme: Partial<NewLogin> = {
    place: (2 ** 53 - 1) as NewLogin['place'],
    generation: 2 ** 32 - 1,
    keyNumber: 255,
    tokenNumber: 2 ** 53 - 1,
    accessSpan: decade,
    refreshSpan: decade,
    retrySpan: milliseconds(36_000_000),
    forgetAt: at(3650 * 86_400),
    endsAt: at(3650 * 86_400),
  };
  const { scope: _scope, ...withoutScope } = aLogin();
  const { member: _member, ...ofClient } = aLogin();
  const cases: readonly (readonly [string, NewLogin])[] = [
    ['usual', aLogin()],
    ['with the largest numbers', aLogin(extreme)],
    ['whose refresh token stays', aLogin({ keepsRefresh: true })],
    ['for an audience of its own', aLogin({ resource: 'https://orders.example.com/' })],
    ['of a client whose refresh token stays', { ...ofClient, keepsRefresh: true }],
    ['of spans that are not whole seconds', aLogin({ accessSpan: milliseconds(1) })],
    [
      'without a refresh token',
      aLogin({ refreshDigest: '', refreshSpan: milliseconds(0), retrySpan: milliseconds(0) }),
    ],
    [
      'with the first and last bytes',
      aLogin({
        loginDigest: '\0'.repeat(12),
        refreshDigest: '\0\xFF'.repeat(8),
        nonce: '\xFF'.repeat(12),
      }),
    ],
    ['without a scope', withoutScope],
    ['without a member', ofClient],
    ['with a scope of its own', aLogin({ ownScope: 'read ☂' })],
    ['with an empty scope of its own', aLogin({ ownScope: '' })],
    ['with all facts of a member', aLogin({ member: { subject: 'é' as Subject, level: 'A 1' } })],
    ['with a member’s name alone', aLogin({ member: { subject: 'subject-1' as Subject } })],
  ];
  for (const [name, login] of cases) {
    check(`RFC 6749 4.3: a login comes back as it began: ${name}`, async ({ store, reopened }) => {
      await store.startLogin(login);
      assert.deepEqual(await findLogin(store, login), { ...login, revoked: false });
      assert.deepEqual(await findLogin(await reopened(), login), { ...login, revoked: false });
    });
  }

  check('C-2: a login is of one programme', async ({ store }) => {
    await store.startLogin(aLogin());
    assert.equal(await store.findLogin(otherClub, aLogin().place), undefined);
    assert.equal(await store.findLogin(club, placeAt(0, 1)), undefined);
  });

  check('a place that is taken stays the first login’s', async ({ store, elsewhere }) => {
    await store.startLogin(aLogin());
    const late = aLogin({ loginDigest: aLogin().nonce, tokenNumber: 9 });
    await assert.rejects((await elsewhere()).startLogin(late), PlaceTaken);
    assert.deepEqual(await findLogin(store), { ...aLogin(), revoked: false });
    await store.startLogin({ ...late, place: placeAt(0, 1) });
    assert.deepEqual(await findLogin(store), { ...aLogin(), revoked: false });
  });

  check('DESIGN: every acknowledged login is there after a restart', async (o) => {
    const nth = (n: number): NewLogin => aLogin({ place: placeAt(0, n) });
    await inParallel(300, (n) => o.store.startLogin(nth(n)));
    const store = await o.reopened();
    const found = await inParallel(300, (n) => findLogin(store, nth(n)));
    assert.equal(found.filter((state) => state === undefined).length, 0);
  });
}

function advanceTests(check: StoreTest): void {
  check('G-23: the next answer takes the place of the last one, whole', async (o) => {
    const { store } = o;
    await store.startLogin(aLogin({ ownScope: 'of the first' }));
    const answers: Answer[] = [aLogin({ ownScope: 'of the first' })];
    const changes: readonly Partial<Answer>[] = [
      {},
      { ownScope: 'narrow' },
      { ownScope: '' },
      { keyNumber: 255, accessSpan: milliseconds(1), tokenNumber: 2 ** 53 - 1 },
      { refreshDigest: '', refreshSpan: milliseconds(0), retrySpan: milliseconds(0) },
      { generation: 2 ** 32 - 1, refreshSpan: milliseconds(3650 * 86_400_000) },
    ];
    for (const [n, change] of changes.entries()) {
      const to = anAnswer(answers.at(-1)!, `answer ${n}`, change);
      assert.equal(await advance(store, answers.at(-1)!, to), true);
      answers.push(to);
      const expected = { ...constantOf(aLogin()), ...to, revoked: false };
      assert.deepEqual(await findLogin(store), expected);
      assert.deepEqual(await findLogin(await o.elsewhere()), expected);
    }
    // Only from the last answer, also where the next one would be the same.
    for (const former of answers.slice(0, -1)) {
      assert.equal(await advance(store, former, answers.at(-1)!), false);
    }
    assert.deepEqual(await findLogin(await o.reopened()), {
      ...constantOf(aLogin()),
      ...answers.at(-1),
      revoked: false,
    });
  });

  check('an answer can be written again with later times, from the last ones alone', async (o) => {
    const { store } = o;
    const times = { answeredAt: at(2), forgetAt: at(900), retrySpan: milliseconds(0) };
    const again: Answer = { ...answerIn(aLogin()), ...times };
    await store.startLogin(aLogin());
    const read = (await findLogin(await o.elsewhere()))!;
    assert.equal(await advance(store, aLogin(), again), true);
    assert.deepEqual(await findLogin(store), { ...read, ...times });
    // Both have the same nonce.
    assert.equal(await store.advanceLogin(club, read.place, read, again), false);
    const next = anAnswer(again, 'next');
    assert.equal(await advance(store, again, next), true);
    assert.deepEqual(await findLogin(await o.reopened()), { ...read, ...next });
  });

  check('advancing what is not there changes nothing', async ({ store }) => {
    const login = aLogin();
    const next = anAnswer(login, 'next');
    assert.equal(await advance(store, login, next), false);
    await store.startLogin(login);
    assert.equal(await store.advanceLogin(otherClub, login.place, login, next), false);
    assert.equal(await store.advanceLogin(club, placeAt(0, 1), login, next), false);
    assert.equal(await advance(store, { ...login, nonce: next.nonce }, next), false);
    assert.deepEqual(await findLogin(store), { ...login, revoked: false });
  });

  check('DESIGN: a thousand refreshes leave one login', async ({ store }) => {
    await store.startLogin(aLogin());
    let last: Answer = aLogin();
    for (let n = 0; n < 1000; n += 1) {
      const next = anAnswer(last, `answer ${n}`);
      assert.equal(await advance(store, last, next), true);
      last = next;
    }
    assert.equal(last.generation, 1001);
    assert.equal(await sweepAll(store, aLogin().endsAt), 1);
  });
}

function raceTests(check: StoreTest): void {
  check('HOSTILE 29: of 20 simultaneous advances exactly one is true', async (o) => {
    const stores = [o.store, await o.elsewhere()] as const;
    await o.store.startLogin(aLogin());
    for (const store of stores) assert.ok(await findLogin(store));
    const answers = Array.from({ length: 20 }, (_, n) => anAnswer(aLogin(), `answer ${n}`));
    const won = await inParallel(20, (n) => advance(stores[n % 2]!, aLogin(), answers[n]!));
    assert.equal(won.filter((is) => is).length, 1);
    const expected = { ...constantOf(aLogin()), ...answers[won.indexOf(true)], revoked: false };
    for (const store of stores) assert.deepEqual(await findLogin(store), expected);
  });

  check('HOSTILE 29: of 20 simultaneous refreshes all get one answer', async (o) => {
    const stores = [o.store, await o.elsewhere()] as const;
    await o.store.startLogin(aLogin());
    const results = await inParallel(20, (n) => refresh(stores[n % 2]!, aLogin(), `answer ${n}`));
    assert.deepEqual(tally(results), { rotate: 1, retry: 19 });
    const state = await findLogin(o.store);
    assert.equal(state?.generation, 2);
    for (const result of results) assert.deepEqual(result.state, state);
  });

  check('HOSTILE 30: an answer that was lost is told again after a restart', async (o) => {
    await o.store.startLogin(aLogin());
    const first = await refresh(o.store, aLogin(), 'first');
    const store = await o.reopened();
    const retry = await refresh(store, aLogin(), 'second', at(11));
    assert.deepEqual(retry, { outcome: 'retry', state: first.state });
    assert.deepEqual(await refresh(store, aLogin(), 'third', at(11.001)), { outcome: 'reuse' });
    assert.equal(await isRevoked(store), true);
  });
}

function revokeTests(check: StoreTest): void {
  check('RFC 7009: revoking is of one login, and lasts', async (o) => {
    const { store } = o;
    const other = aLogin({ place: placeAt(0, 1) });
    await store.startLogin(aLogin());
    await store.startLogin(other);
    await store.revoke(otherClub, { place: aLogin().place }, at(1));
    await store.revoke(club, { place: placeAt(0, 2) }, at(1));
    assert.equal(await isRevoked(store), false);
    const elsewhere = await o.elsewhere();
    await elsewhere.revoke(club, { place: aLogin().place }, at(1));
    assert.equal(await isRevoked(store), true);
    // Also again: what another process sees of the first may not be durable yet (TOKENS 8.1, 5).
    for (const one of [store, elsewhere]) {
      await one.revoke(club, { place: aLogin().place }, at(2));
    }
    assert.deepEqual(await findLogin(store), { ...aLogin(), revoked: true });
    assert.equal(await advance(store, aLogin(), anAnswer(aLogin(), 'late')), false);
    const later = await o.reopened();
    assert.deepEqual(await findLogin(later), { ...aLogin(), revoked: true });
    assert.deepEqual(await findLogin(later, other), { ...other, revoked: false });
  });

  check('HOSTILE 29: a refresh beside the revocation leaves nothing alive', async ({ store }) => {
    await store.startLogin(aLogin());
    const results = await Promise.all([
      refresh(store, aLogin(), 'before'),
      store.revoke(club, { place: aLogin().place }, at(1)),
      refresh(store, aLogin(), 'after'),
    ]);
    assert.equal(await isRevoked(store), true);
    const late = results[0].state ?? aLogin();
    assert.deepEqual(await refresh(store, late, 'late'), { outcome: 'unknown' });
  });
}
