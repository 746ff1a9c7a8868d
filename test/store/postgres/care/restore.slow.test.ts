// Owns the promises of care that PostgreSQL alone has: a database that was brought back by its own means,
// and what its servers tell.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import { Cluster } from '../../../../scripts/postgres/cluster.ts';
import { instant } from '../../../../src/lib/clock.ts';
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
import { expectNoUsedAssertion, expectVoid, fill, using } from '../../fill.ts';
import { aClient, at, club } from '../../fixtures.ts';
import { findCode, findLogin, isRevoked } from '../../login.ts';
import { isUnusable } from '../../restore_fixture.ts';
import { postgresScene, type PostgresScene } from '../scratch.ts';

/** A filled store whose servers are closed, its site, and a path for a backup. */
async function filled(
  t: TestContext,
): Promise<PostgresScene & { site: StoreSite; backup: string }> {
  const scene = await postgresScene(t);
  const site = storeAt(scene.location);
  await using(site, fill);
  return {
    ...scene,
    site,
    backup: join(scratchFolder(t, 'backup'), 'backup.db'),
  };
}

const ofOperators = {
  client: 1,
  member: 1,
  gateway: 0,
  signing_key: 1,
  identity_key: 0,
  maintenance: 0,
};
const registered = { ...ofOperators, audit_stream: 0 };
const none = {
  code: 0,
  finished_login: 0,
  kept_text: 0,
  login: 0,
  login_attempt: 0,
  node_lease: 0,
  known_code: 0,
};

test(
  'a backup of a PostgreSQL store has no grant, and no use of a secret that waits',
  { skip: without('postgres') },
  async (t) => {
    const { site, backup } = await filled(t);
    const registrations = { look_up: 3, removed: 1, revocation: 1, revoked_token: 1, token_key: 1 };
    assert.deepEqual((await site.care?.backup(backup))?.counts, {
      ...none,
      ...registered,
      ...registrations,
      secret_use: 0,
    });
  },
);

test(
  'FAULTS 9, 28: a server that was killed counts for two minutes, whatever its clock said',
  { skip: without('postgres') },
  async (t) => {
    const { site, backup, open, query } = await filled(t);
    await site.care?.backup(backup);
    const killed = await open();
    const facts = { name: 'one:1', version: '1', programmes: {}, settings: {} };
    await killed.leaseNode(instant(Date.now() + 315_360_000_000), 'a holder', facts);
    const restored = async () => site.care?.restore(backup, 'staging');
    await query('UPDATE node_lease SET beat_clock = beat_clock - 110000');
    await assert.rejects(restored, isUnusable(/is in use by one:1$/));
    await query('UPDATE node_lease SET beat_clock = beat_clock - 11000');
    assert.deepEqual((await restored())?.damage, []);
    await killed.close();
  },
);

describe('a database that was brought back', { skip: without('postgres') }, () => {
  // FAULTS 8
  test('is refused until its grants are void, where its history and its time say so', async (t) => {
    const { open, site, query } = await filled(t);
    const longAgo = Date.now() - 3_600_000;
    await query(`UPDATE meta SET value = '1 1' WHERE name = 'cluster'`);
    await query(`UPDATE meta SET value = '${longAgo}' WHERE name LIKE 'recorded%'`);
    await assert.rejects(open, isUnusable(/may have been brought back to an earlier time/));
    // Also where the clock of the servers was ahead by more than was lost.
    await query(
      `INSERT INTO meta VALUES ('recorded_clock', '${longAgo}') ON CONFLICT (name) DO NOTHING`,
    );
    await query(`UPDATE meta SET value = '${Date.now() + 3_600_000}' WHERE name = 'recorded_time'`);
    await assert.rejects(open, isUnusable(/may have been brought back to an earlier time/));
    await query(`UPDATE meta SET value = '${longAgo}' WHERE name LIKE 'recorded%'`);
    const report = await site.care?.restoreInPlace?.('staging');
    assert.deepEqual(report?.voided, { code: 1, known_code: 2, login: 2, token_key: 1 });
    await using(site, async (store) => {
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
    await using(site, async (store) => assert.equal(await isRevoked(store), false));
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
    await using(storeAt(serversAt(first.port)), fill);
    await first.stop();
    const second = await first.copy();
    t.after(() => second.remove());
    second.configure({ port: second.port });
    second.beStandby();
    await second.start();
    await second.promote();
    // Promoted at once: the store goes on.
    await using(storeAt(serversAt(second.port)), async (store) => {
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
      isUnusable(/may have been brought back to an earlier time/),
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
        code: 1,
        finished_login: 1,
        kept_text: 1,
        login: 2,
        login_attempt: 0,
        look_up: 3,
        removed: 1,
        revocation: 1,
        revoked_token: 1,
        secret_use: 0,
        known_code: 2,
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

  test('finds another master key', async (t) => {
    const { site } = await filled(t);
    assert.deepEqual((await site.care?.verify({ keyCheck: 'another' }))?.damage, [
      'the configured master key is not the one that the store was made with',
    ]);
  });
});
