// Owns the promises of backing up, restoring and verifying a PostgreSQL store: what is registered comes
// back, and nothing that was granted.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import { Cluster } from '../../../../scripts/postgres/cluster.ts';
import type { Era } from '../../../../src/oauth/grant.ts';
import type { Store } from '../../../../src/store/contract.ts';
import { storeAt, type StoreSite } from '../../../../src/store/open.ts';
import {
  type PostgresLocation,
  readPostgresLocation,
} from '../../../../src/store/postgres/location.ts';
import { schemaVersion } from '../../../../src/store/postgres/schema.ts';
import { StoreUnusable } from '../../../../src/store/unusable.ts';
import { scratchFolder } from '../../../support/scratch.ts';
import { without } from '../../../support/tools.ts';
import { until } from '../../../support/until.ts';
import { expectNoUsedAssertion, fill } from '../../fill.ts';
import {
  aClient,
  aLogin,
  aMember,
  aSigningKey,
  at,
  club,
  otherPartner,
  partner,
} from '../../fixtures.ts';
import { findCode, findLogin, isRevoked, login } from '../../login.ts';
import { isTaken } from '../../taken.ts';
import { postgresScene, type Scene } from './scene.ts';

/** A filled store whose servers are closed, its site, and a path for a backup. */
async function filled(t: TestContext): Promise<Scene & { site: StoreSite; backup: string }> {
  const scene = await postgresScene(t);
  await using(await scene.open(), fill);
  return {
    ...scene,
    site: storeAt(scene.location),
    backup: join(scratchFolder(t, 'backup'), 'backup.db'),
  };
}

async function using<Result>(
  store: Store,
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const ofOperators = { client: 1, member: 1, gateway: 0, signing_key: 1, maintenance: 0 };
const registered = { ...ofOperators, audit_stream: 0 };
const none = { code: 0, kept_text: 0, login: 0, login_attempt: 0, node_lease: 0, spent_code: 0 };

describe('a backup of a PostgreSQL store', { skip: without('postgres') }, () => {
  test('is a store file with what is registered, made while the store is used', async (t) => {
    const { open, site, backup } = await filled(t);
    const store = await open();
    const report = await site.care?.backup(backup);
    assert.deepEqual(await storeAt({ kind: 'file', path: backup }).care?.verify(), report);
    assert.deepEqual(
      [report?.environment, report?.damage, report?.recordedTime, report?.counts],
      [
        'staging',
        [],
        at(50),
        {
          ...none,
          ...registered,
          look_up: 3,
          removed: 1,
          revocation: 1,
          revoked_token: 1,
          secret_use: 0,
          token_key: 1,
        },
      ],
    );
    await store.close();
  });

  test('comes back into another schema: registrations and revocations, and no grant', async (t) => {
    const from = await filled(t);
    await from.site.care?.backup(from.backup);
    const to = await postgresScene(t);
    const restored = await storeAt(to.location).care?.restore(from.backup, 'staging');
    assert.deepEqual(restored?.voided, { code: 0, login: 0, spent_code: 0, token_key: 1 });
    assert.deepEqual(restored?.damage, []);
    await using(await to.open(), async (store) => {
      assert.deepEqual(await store.list('client', club), [aClient()]);
      assert.deepEqual(await store.list('member', club), [aMember()]);
      assert.deepEqual(await store.list('signing_key', club), [aSigningKey('kid')]);
      assert.deepEqual(await store.list('token_key', club), []);
      assert.equal(await isTaken(store, 'client', club, otherPartner), true);
      assert.equal(await store.ensureKeyCheck('another', () => true), 'the key check');
      assert.equal(await findLogin(store), undefined);
      assert.equal(await findCode(store, 'unspent', 1), undefined);
      await expectVoid(store, 1 as Era);
      await login(store);
      assert.equal(await isRevoked(store), false);
      await expectNoUsedAssertion(store);
    });
  });

  // FAULTS 8
  test('brings back into its own store what is registered, and ends what was granted', async (t) => {
    const { open, site, backup, query } = await filled(t);
    await site.care?.backup(backup);
    await using(await open(), async (store) => {
      await store.revoke(club, { client: partner });
      await store.time(at(500));
      await store.add('member', [aMember({ subject: 'later' as never, username: 'later' })]);
    });
    const before = await query('SELECT registrations FROM epoch');
    const report = await site.care?.restore(backup, 'staging');
    assert.equal(report?.recordedTime, at(500));
    assert.notDeepEqual(await query('SELECT registrations FROM epoch'), before);
    await using(await open(), async (store) => {
      assert.deepEqual(await store.list('member', club), [aMember()]);
      assert.equal(await findLogin(store), undefined);
      await expectVoid(store, 2 as Era);
    });
  });

  test('is refused while a server runs, and of another environment; nothing has changed', async (t) => {
    const { open, site, backup } = await filled(t);
    await site.care?.backup(backup);
    await assert.rejects(
      async () => site.care?.restore(backup, 'live'),
      unusable(/is of environment staging; this configuration is for live/),
    );
    const store = await open();
    const facts = { name: 'one:1', version: '1', programmes: {}, settings: {} };
    await store.leaseNode(at(0).valueOf() as never, 'a holder', facts);
    await using(store, async () => {
      await store.leaseNode(Date.now() as never, 'a holder', facts);
      await assert.rejects(
        async () => site.care?.restore(backup, 'staging'),
        unusable(/is in use by one:1$/),
      );
      assert.equal(await isRevoked(store), false);
    });
  });
});

/** A client's own token of the era, which stood before. */
async function expectVoid(store: Store, era: Era): Promise<void> {
  const own = { client: partner, era, issuedAt: at(1) };
  const question = { tokenId: 'own', expiresAt: at(600), own };
  assert.equal(await store.isStanding(club, question), false);
  const next = { ...own, era: await store.era() };
  assert.equal(await store.isStanding(club, { ...question, own: next }), true);
}

describe('a database that was brought back', { skip: without('postgres') }, () => {
  // FAULTS 8
  test('is refused until its grants are void, where its history and its time say so', async (t) => {
    const { open, site, query } = await filled(t);
    const longAgo = Date.now() - 3_600_000;
    await query(`UPDATE meta SET value = '1 1' WHERE name = 'cluster'`);
    await query(`UPDATE meta SET value = '${longAgo}' WHERE name LIKE 'recorded%'`);
    await assert.rejects(open, unusable(/may have been brought back to an earlier time/));
    const report = await site.care?.restoreInPlace?.('staging');
    assert.deepEqual(report?.voided, { code: 2, login: 2, spent_code: 0, token_key: 1 });
    await using(await open(), async (store) => {
      assert.deepEqual(await store.list('client', club), [aClient()]);
      assert.equal(await findLogin(store), undefined);
      assert.equal(await findCode(store, 'code', 1), undefined);
      await expectVoid(store, 1 as Era);
      await expectNoUsedAssertion(store);
    });
  });

  test('keeps its grants where its operator says that nothing is lost', async (t) => {
    const { open, site, query } = await filled(t);
    await query(`UPDATE meta SET value = '1 1' WHERE name = 'cluster'`);
    await query(`UPDATE meta SET value = '0' WHERE name LIKE 'recorded%'`);
    await assert.rejects(open, StoreUnusable);
    const report = await site.care?.restoreInPlace?.('staging', { keepGranted: true });
    assert.deepEqual(report?.voided, {});
    await using(await open(), async (store) => assert.equal(await isRevoked(store), false));
  });

  test('is told from a promoted standby, at a start and by an open store', async (t) => {
    const first = await Cluster.make();
    t.after(() => first.remove());
    await first.start();
    const serversAt = (...ports: readonly number[]): PostgresLocation => {
      const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
      const url = `postgres://jetway@${hosts}/jetway?sslmode=disable`;
      return readPostgresLocation(url, (path) => path);
    };
    const opened = (location: PostgresLocation): Promise<Store> =>
      storeAt(location).open({ environment: 'staging' });
    await using(await opened(serversAt(first.port)), fill);
    await first.stop();
    const second = await first.copy();
    t.after(() => second.remove());
    second.configure({ port: second.port });
    second.beStandby();
    await second.start();
    await second.promote();
    // Promoted at once: the store goes on.
    await using(await opened(serversAt(second.port)), async (store) => {
      assert.equal(await isRevoked(store), false);
    });
    // Brought back long after: its history is another, and its time is old.
    await first.start();
    const both = await opened(serversAt(first.port, second.port));
    t.after(() => both.close());
    assert.equal(await isRevoked(both), false);
    const client = await second.client();
    await client.query(`UPDATE jetway.meta SET value = '0' WHERE name LIKE 'recorded%'`);
    await client.query(`UPDATE jetway.meta SET value = '1 1' WHERE name = 'cluster'`);
    await first.stop('crash');
    await assert.rejects(isRevoked(both), /may have been brought back to an earlier time/);
    await assert.rejects(
      opened(serversAt(second.port)),
      unusable(/may have been brought back to an earlier time/),
    );
    await client.end();
    await storeAt(serversAt(second.port)).care?.restoreInPlace?.('staging', { keepGranted: true });
    await until(async () => {
      try {
        return (await isRevoked(both)) === false;
      } catch {
        return false;
      }
    });
  });
});

describe('verifying a PostgreSQL store', { skip: without('postgres') }, () => {
  test('tells rows, servers and what to mend', async (t) => {
    const { site, url } = await filled(t);
    const report = await site.care?.verify({ keyCheck: 'the key check' });
    assert.ok(report?.server !== undefined);
    const { size, createdAt, server, ...rest } = report;
    assert.ok(size > 100_000, String(size));
    assert.match(createdAt, /^\d{4}-/);
    assert.deepEqual(rest, {
      path: url.replace('&sslmode=disable', ''),
      schema: schemaVersion,
      environment: 'staging',
      recordedTime: at(50),
      counts: {
        ...registered,
        code: 2,
        kept_text: 1,
        login: 2,
        login_attempt: 0,
        look_up: 3,
        removed: 1,
        revocation: 1,
        revoked_token: 1,
        secret_use: 0,
        spent_code: 0,
        token_key: 1,
      },
      damage: [],
      warnings: [
        'fsync or full_page_writes is off: a power cut destroys it',
        'commits are on one disk alone: no synchronous standby (synchronous_standby_names is empty at the primary)',
      ],
    });
    assert.deepEqual(Object.keys(server), [
      'PostgreSQL',
      'cluster and timeline',
      'data checksums',
      'synchronous_commit',
      'standbys that commits wait for',
      'standbys connected',
      "clock from this machine's",
      'not read',
    ]);
  });

  const { place } = aLogin();
  const unfit = 'rows do not fit their checksums: 1 of login';
  const unfitItem = unfit.replace('login', 'registered');
  for (const [damage, statement, words] of [
    ['a changed value', `UPDATE login SET scope = 'other' WHERE place = ${place}`, unfit],
    ['a changed detail', `UPDATE login SET details = '1 {}' WHERE place = ${place}`, unfit],
    ['no JSON', `UPDATE registered SET record = '~' WHERE kind = 'member'`, unfitItem],
    [
      'a lost key',
      `DELETE FROM look_up WHERE kind = 'member'`,
      'keys are missing in look_up: 1 of member',
    ],
    [
      'a lost item',
      `DELETE FROM registered WHERE kind = 'member'`,
      'keys of look_up lead to nothing: 1',
    ],
  ] as const) {
    test(`finds ${damage}`, async (t) => {
      const { site, query } = await filled(t);
      await query(statement);
      assert.deepEqual((await site.care?.verify())?.damage, [words]);
    });
  }

  test('finds another master key, and no store', async (t) => {
    const { site } = await filled(t);
    assert.deepEqual((await site.care?.verify({ keyCheck: 'another' }))?.damage, [
      'the configured master key is not the one that the store was made with',
    ]);
    const { location } = await postgresScene(t);
    await assert.rejects(
      async () => storeAt(location).care?.verify(),
      unusable(/^there is no store at postgres:/),
    );
  });
});

function unusable(words: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof StoreUnusable && words.test(error.message) && error.hint !== '';
}
