// Owns promises of verbs that several nodes ask at once: of one moment, and of one life of the store.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { milliseconds } from '../../../src/lib/clock.ts';
import { Link } from '../../../src/store/postgres/link/link.ts';
import { aCode, aLogin, at, club, key, partner, placeAt, sweepAll } from '../fixtures.ts';
import { isRevoked } from '../login.ts';
import { postgresStore } from './scratch.ts';

type Asked = Parameters<Link['run']>;

test('FAULTS 24: numbers that three nodes give out at once are all given, and none twice', async (t) => {
  const { store: one, another } = await postgresStore(t);
  const nodes = [one, await another(), await another()];
  const sample = { programme: club, sealedKey: 'sealed', createdAt: at(0), signsFrom: at(0) };
  await Promise.all(
    nodes.map(async (store) => {
      for (let n = 0; n < 20; n += 1) {
        await store.changeAll('token_key', { programme: club }, (keys) => [
          ...keys,
          { ...sample, kid: String(keys.length), longestToken: milliseconds(1000) },
        ]);
      }
    }),
  );
  const kids = (await one.list('token_key', club)).map(({ kid }) => Number(kid));
  assert.deepEqual(
    kids.toSorted((before, after) => before - after),
    Array.from({ length: 60 }, (_, n) => n),
  );
});

test('FAULTS 29: a sweep by a clock ahead removes no revocation once the right time is accepted', async (t) => {
  const { store, another } = await postgresStore(t);
  const other = await another();
  for (const one of [store, other]) await one.time(at(0));
  await store.revoke(club, { tokenId: 'jti', expiresAt: at(1800) }, at(0));
  const run = Reflect.get(Link.prototype, 'run') as (
    this: Link,
    ...asked: Asked
  ) => Promise<unknown>;
  const accepted = new Set<string>();
  t.mock.method(Link.prototype, 'run', async function (this: Link, ...asked: Asked) {
    if (accepted.size === 0 && asked[0].name === 'all_sweep_look_revoked_token') {
      accepted.add('in the middle of a sweep');
      await store.acceptTime(at(10));
      await other.acceptTime(at(10), 'another_process');
    }
    return run.apply(this, asked);
  });
  for (let calls = 0; calls < 12 && accepted.size === 0; calls += 1)
    await other.sweep(at(7200), 1000);
  assert.equal(accepted.size, 1);
  assert.equal(await store.isStanding(club, { tokenId: 'jti', expiresAt: at(1800) }), false);
});

test('FAULTS 6: a damaged login fails no question that is asked beside it', async (t) => {
  const { store, query } = await postgresStore(t);
  for (const place of [placeAt(1), placeAt(2)]) await store.startLogin(aLogin({ place }));
  await query(`UPDATE login SET sum = sum + 1 WHERE place = ${placeAt(1)}`);
  const [damaged, whole] = await Promise.allSettled([
    store.findLogin(club, placeAt(1)),
    store.findLogin(club, placeAt(2)),
  ]);
  assert.equal(damaged.status, 'rejected');
  assert.ok(whole.status === 'fulfilled');
  assert.equal(whole.value?.client, partner);
});

test('HOSTILE 25: a sweep beside the issue of a code leaves what a replay is known by', async (t) => {
  const { store, another, query } = await postgresStore(t);
  const other = await another();
  const run = Reflect.get(Link.prototype, 'run') as (
    this: Link,
    ...asked: Asked
  ) => Promise<unknown>;
  const isKnown = Promise.withResolvers<void>();
  t.mock.method(Link.prototype, 'run', async function (this: Link, ...asked: Asked) {
    const [{ name }] = asked;
    if (name === 'issue_code') {
      await isKnown.promise;
      await sweepAll(other, at(1), 5);
    }
    const done = await run.apply(this, asked);
    if (name === 'put_known_code') isKnown.resolve();
    return done;
  });
  assert.equal(await store.issueCode(aCode()), 'issued');
  const found = await store.findCode(club, key('code'), at(1));
  const { place } = found?.spentFor === undefined ? (found ?? {}) : {};
  assert.ok(place);
  const bought = aLogin({ place });
  const spend = (login: typeof bought) => store.spendCode(club, partner, key('code'), login, at(1));
  assert.deepEqual(await spend(bought), { outcome: 'spent' });
  assert.deepEqual(await spend(aLogin()), { outcome: 'replayed', place });
  assert.equal(await isRevoked(store, bought), true);
  // One whose code and login are gone goes, once it is no code of now.
  await sweepAll(store, at(86_460), 5);
  assert.deepEqual(await query('SELECT count(*) AS n FROM known_code'), [{ n: '0' }]);
});
