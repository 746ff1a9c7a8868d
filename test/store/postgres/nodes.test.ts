// Tests of what two nodes on one PostgreSQL have in common: counts, numbers, time, outages and upkeep.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import { instant, milliseconds } from '../../../src/lib/clock.ts';
import type { Digest } from '../../../src/lib/digest.ts';
import { Unavailable } from '../../../src/oauth/failure.ts';
import type { Store } from '../../../src/store/contract.ts';
import { storeAt } from '../../../src/store/open.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { without } from '../../support/tools.ts';
import {
  aClient,
  aCode,
  aLogin,
  at,
  club,
  inParallel,
  key,
  partner,
  placeAt,
  sweepAll,
} from '../fixtures.ts';
import { postgresScene, type PostgresScene } from './scratch.ts';

const facts = { name: 'machine:7', version: '1', programmes: {}, settings: {} };

interface Nodes extends PostgresScene {
  /** Servers: they answer only as long as they have renewed their leases. */
  readonly one: Store;
  readonly other: Store;
  readonly another: () => Promise<Store>;
}

async function openNodes(t: TestContext): Promise<Nodes> {
  const scene = await postgresScene(t);
  const onFatal = (): void => assert.fail('the store can no longer be used');
  const another = (): Promise<Store> => scene.open({ onFatal });
  return { ...scene, one: await another(), other: await another(), another };
}

/** Lets time pass for this process, whose timers go on as they are. */
function passing(t: TestContext): (span: number) => void {
  const now = performance.now.bind(performance);
  let passed = 0;
  t.mock.method(performance, 'now', () => now() + passed);
  return (span) => {
    passed += span;
  };
}

describe('two nodes on one PostgreSQL', { skip: without('postgres') }, () => {
  test('HOSTILE 42, 80: failures at one node are known at the other, and so is what it gives back', async (t) => {
    const { one, other } = await openNodes(t);
    const limit = { limit: 3, window: 60_000 };
    for (const counter of ['failed_login', 'failed_secret'] as const) {
      const count = (store: Store, seconds: number, by?: -1) =>
        store.count(counter, club, 'address', limit, at(seconds), by);
      for (const store of [one, other, one]) {
        assert.equal((await count(store, 0)).allowed, true);
      }
      const refused = { allowed: false, remaining: 0, retryAfter: 59_000 };
      assert.deepEqual([await count(one, 1), await count(other, 1)], [refused, refused]);
      await count(other, 1, -1);
      if (counter === 'failed_login') assert.equal((await count(one, 3)).allowed, true);
    }
  });

  test('HOSTILE 57: after a flood that no statement could hold a key is counted together again', async (t) => {
    const { one, other } = await openNodes(t);
    const limit = { limit: 1, window: 60_000 };
    const count = (store: Store, n: number) =>
      store.count('failed_secret', club, `address ${n}`, limit, at(0));
    // More than may wait.
    const last = 10_500;
    await inParallel(last + 1, (n) => count(one, n));
    assert.equal((await count(one, last)).allowed, true);
    assert.equal((await count(other, last)).allowed, false);
  });

  test('HOSTILE 57: while the store is away a node counts by itself', async (t) => {
    const { one } = await openNodes(t);
    const limit = { limit: 2, window: 60_000 };
    const count = () => one.count('token_request', club, partner, limit, at(0));
    await count();
    await one.close();
    const alone = [await count(), await count(), await count()];
    assert.deepEqual(
      alone.map(({ allowed }) => allowed),
      [true, true, false],
    );
  });

  test('FAULTS 15: a node answers nothing once its heartbeat is 3 s old, and again after the next', async (t) => {
    const { one, other } = await openNodes(t);
    const pass = passing(t);
    await other.add('client', [aClient()]);
    await one.leaseNode(at(0), 'one', facts);
    assert.ok(await one.find('client', club, partner));
    assert.deepEqual(one.health(), { status: 'ready' });
    pass(3100);
    // What was read in this turn counts for the rest of it.
    await turn();
    const asked = [
      () => one.find('client', club, partner),
      () => one.isStanding(club, { tokenId: 'a', expiresAt: at(9) }),
      () => one.startLogin(aLogin()),
      () => one.time(),
    ];
    for (const ask of asked) await assert.rejects(async () => ask(), Unavailable);
    assert.equal(one.health().status, 'away');
    assert.match(JSON.stringify(one.health()), /no commit was confirmed for 3 s/);
    await one.leaseNode(at(3), 'one', facts);
    for (const ask of asked) await ask();
    assert.deepEqual(one.health(), { status: 'ready' });
  });

  test('FAULTS 34: the time in which a node’s machine was suspended is an outage', async (t) => {
    const { one } = await openNodes(t);
    await one.leaseNode(at(10), 'a', facts);
    await one.leaseNode(at(11), 'a', facts);
    assert.deepEqual((await one.time()).outages, []);
    // Its clock has gone on by an hour, the monotonic clock has not.
    await one.leaseNode(at(3611), 'a', facts);
    assert.deepEqual((await one.time()).outages, [{ from: at(11), to: at(3611) }]);
  });

  test('HOSTILE 30: an outage that one node has met is known at every other, in the commit that ends it', async (t) => {
    const { one, other, another, query } = await openNodes(t);
    const pass = passing(t);
    const outages = async (store: Store) => (await store.time()).outages;
    await one.leaseNode(at(0), 'one', facts);
    await other.leaseNode(at(0), 'other', facts);
    pass(500);
    await one.leaseNode(at(0.5), 'one', facts);
    await other.leaseNode(at(0.5), 'other', facts);
    assert.deepEqual(await outages(one), []);
    pass(30_000);
    await one.leaseNode(at(30.5), 'one', facts);
    await other.leaseNode(at(30.6), 'other', facts);
    const found = await outages(other);
    assert.deepEqual(await outages(one), found);
    assert.deepEqual(
      found.map(({ to }) => to),
      [at(30.6), at(30.5)],
    );
    for (const { from } of found) assert.ok(at(-20) < from && from <= at(0.6));
    // A node that begins meets one where none has served; not where others have.
    const third = await another();
    await third.leaseNode(at(32), 'third', facts);
    assert.equal((await outages(third)).length, 2);
    const fourth = await another();
    await fourth.leaseNode(at(100), 'fourth', facts);
    assert.deepEqual((await outages(fourth))[0], { from: at(32), to: at(100) });
    // They are forgotten after a day.
    await sweepAll(one, at(86_400 + 50));
    assert.deepEqual(await query('SELECT to_at::float8 AS to FROM outage'), [{ to: at(100) }]);
  });

  test('one node sweeps for all, and the next where it has ended', async (t) => {
    const { one, other, query } = await openNodes(t);
    const limit = { limit: 1, window: 1000 };
    await one.count('token_request', club, partner, limit, at(0));
    const rows = async () => (await query('SELECT FROM throttle')).length;
    await one.leaseNode(at(60), 'one', facts);
    await other.leaseNode(at(60), 'other', facts);
    await sweepAll(other, at(60));
    assert.equal(await rows(), 1);
    await one.close();
    await other.leaseNode(at(60), 'other', facts);
    await sweepAll(other, at(60));
    assert.equal(await rows(), 0);
  });

  test('FAULTS 9: a restore that is refused keeps no server waiting, whoever writes for long', async (t) => {
    const { one, query, location } = await openNodes(t);
    const { care, move } = storeAt(location);
    const backup = join(scratchFolder(t, 'backup'), 'backup.db');
    await care?.backup(backup);
    await one.leaseNode(instant(Date.now()), 'one', facts);
    await query('BEGIN');
    await query('UPDATE epoch SET op = op');
    const inUse = /is in use by machine:7$/;
    const refused = [
      assert.rejects(async () => care?.restore(backup, 'staging'), inUse),
      assert.rejects(async () => care?.restoreInPlace?.('staging'), inUse),
      assert.rejects(async () => move?.leave(), inUse),
    ];
    await one.startLogin(aLogin());
    await Promise.all(refused);
    await one.startLogin(aLogin({ place: placeAt(1) }));
    await query('ROLLBACK');
  });

  test('HOSTILE 18: a sweep leaves a count that another node begins anew meanwhile', async (t) => {
    const { one, query } = await openNodes(t);
    const policy = { attempts: 5, window: milliseconds(60_000), lock: milliseconds(60_000) };
    await one.reserveAttempt(club, 'account' as Digest, policy, at(0));
    await query('BEGIN');
    await query('UPDATE login_attempt SET window_ends_at = window_ends_at + 60000');
    const sweeps = inParallel(12, () => one.sweep(at(61), 100));
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'`;
    while ((await query(waiting)).length === 0) await turn();
    await query('COMMIT');
    await sweeps;
    assert.deepEqual(await query('SELECT used::int FROM login_attempt'), [{ used: 1 }]);
  });

  test('two codes that are spent in one statement do not share a login', async (t) => {
    const { one } = await openNodes(t);
    const spend = async (name: string) => {
      const login = aLogin({ loginDigest: name.padEnd(aLogin().loginDigest.length) });
      await one.issueCode(aCode({ key: key(name), transaction: name }));
      await turn();
      return one.spendCode(club, partner, key(name), login, at(0));
    };
    const outcomes = await Promise.allSettled([spend('a'), spend('b')]);
    assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  });

  test('FAULTS 12: nodes go by the time of the database, and commands by that of the nodes', async (t) => {
    const { one, other, query } = await openNodes(t);
    const databaseTime = async (): Promise<number> => {
      const [row] = await query(
        'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
      );
      return Number(row?.['now']);
    };
    for (const store of [one, other]) {
      const before = await databaseTime();
      const wall = store.wall?.() ?? 0;
      assert.ok(before - 1000 < wall && wall < (await databaseTime()) + 1000);
    }
    assert.equal((await one.time()).current, undefined);
    // Servers that are ten minutes behind the database, which somebody has set.
    const behind = instant((await databaseTime()) - 600_000);
    await one.time(behind);
    const { current = 0, recorded } = await other.time();
    assert.equal(recorded, behind);
    assert.ok(behind <= current && current < behind + 60_000);
  });

  test('FAULTS 30: who follows late ends nothing that was issued since by those who follow', async (t) => {
    const { one, other, query } = await openNodes(t);
    await other.time(at(3600));
    await one.time();
    await other.time();
    await one.acceptTime(at(0));
    await one.time(at(600));
    await one.startLogin(aLogin({ place: placeAt(603) }));
    await other.startLogin(aLogin({ place: placeAt(3600) }));
    // No server has recorded the time for two minutes.
    await query(`UPDATE meta SET value = value::bigint - 120000 WHERE name = 'recorded_clock'`);
    assert.equal((await other.time()).current, undefined);
    await other.acceptTime(at(0), 'another_process');
    assert.ok(await one.findLogin(club, placeAt(603)));
    assert.equal(await one.findLogin(club, placeAt(3600)), undefined);
  });
});
