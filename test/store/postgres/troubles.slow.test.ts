// Owns what a store tells of a database that refuses it, and how it gets on where tables have grown.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from 'pg';

import { Unavailable } from '../../../src/oauth/failure.ts';
import type { Store } from '../../../src/store/contract.ts';
import { type Id, kindNames, kinds } from '../../../src/store/kinds.ts';
import { testServer } from '../../support/postgres.ts';
import { without } from '../../support/tools.ts';
import { aClient, aCode, aLogin, at, club, key, partner } from '../fixtures.ts';
import { openScratchPostgres, postgresStore } from './scratch.ts';

const facts = { name: 'machine:7', version: '1', programmes: {}, settings: {} };

const absent = kindNames.find((kind) => kinds[kind].remembersAbsence) ?? assert.fail();

const verbs: readonly ((store: Store) => unknown)[] = [
  (store) => store.find('client', club, partner),
  (store) => store.list('client', club),
  (store) => store.change('client', club, partner, (client) => ({ ...client, name: 'New' })),
  (store) => store.issueCode(aCode()),
  (store) => store.findLogin(club, aLogin().place),
  (store) => store.revoke(club, { client: partner }),
  (store) => store.leaseNode(at(0), 'holder', facts),
  (store) => store.time(),
  (store) => store.sweep(at(0), 10),
];

describe('PostgreSQL that refuses', { skip: without('postgres') }, () => {
  let superuser: Client;
  let scratch: Awaited<ReturnType<typeof openScratchPostgres>>;

  before(async () => {
    superuser = await (await testServer()).client('postgres');
    await superuser.query('SET default_transaction_read_only = off');
    scratch = await openScratchPostgres();
    await superuser.query(`SET search_path = "${scratch.location.schema}"`);
    await scratch.store.add('client', [aClient()]);
  });
  after(async () => {
    await scratch.close();
    await superuser.end();
  });

  const tellsOutage = async (message: RegExp): Promise<void> => {
    const outcomes = await Promise.allSettled(verbs.map((verb) => verb(scratch.store)));
    for (const outcome of outcomes) {
      assert.equal(outcome.status, 'rejected');
      assert.ok(outcome.reason instanceof Unavailable, String(outcome.reason));
      assert.match(outcome.reason.message, message);
    }
  };
  /** Ends the store's connections: what holds for new ones counts. */
  const endSessions = () =>
    superuser.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'jetway'`,
    );
  const untilServed = async (): Promise<void> => {
    for (;;) {
      try {
        for (const verb of verbs) await verb(scratch.store);
        return;
      } catch (error) {
        assert.ok(error instanceof Unavailable, String(error));
        await sleep(20);
      }
    }
  };

  test('FAULTS 13: a role without rights is told as an outage by every verb', async () => {
    const tables = `ALL TABLES IN SCHEMA "${scratch.location.schema}"`;
    await superuser.query(`REVOKE ALL ON ${tables} FROM jetway`);
    await tellsOutage(/permission denied/);
    await superuser.query(`GRANT ALL ON ${tables} TO jetway`);
    await untilServed();
  });

  test('that an item is not there is remembered, where its kind is', async () => {
    const { store, location } = scratch;
    const nobody = 'nobody' as Id<typeof absent>;
    assert.equal(await store.find(absent, club, nobody), undefined);
    await superuser.query(`REVOKE SELECT ON "${location.schema}".registered FROM jetway`);
    assert.equal(await store.find(absent, club, nobody), undefined);
    await superuser.query(`GRANT SELECT ON "${location.schema}".registered TO jetway`);
  });

  test('FAULTS 13: a database that is read-only is no primary', async () => {
    await superuser.query('ALTER ROLE jetway SET default_transaction_read_only = on');
    await endSessions();
    await tellsOutage(/read-only/);
    await superuser.query('ALTER ROLE jetway RESET default_transaction_read_only');
    await untilServed();
  });

  test('FAULTS 13: a database without a connection left is told by verbs of every kind', async () => {
    await superuser.query('ALTER ROLE jetway CONNECTION LIMIT 0');
    await endSessions();
    await tellsOutage(/too many connections/);
    await superuser.query('ALTER ROLE jetway CONNECTION LIMIT -1');
    await untilServed();
  });
});

describe('a PostgreSQL that grows', { skip: without('postgres') }, () => {
  test('FLEET 1.3: a table that has outgrown its plans is analyzed once', async (t) => {
    const { store, query } = await postgresStore(t);
    const analyzed = async () => {
      const rows = await query(
        `SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace
           AND relkind = 'r' AND reltuples > 0 ORDER BY relname`,
      );
      return rows.map(({ relname }) => relname);
    };
    await store.issueCode(aCode());
    await store.sweep(at(0), 10);
    assert.equal((await analyzed()).includes('code'), false);
    await query(`INSERT INTO code (digest, rest, place, programme, login, client, redirect_uri,
        subject, level, membership_number, scope, code_challenge, issued_at, expires_at, forget_at,
        era, sum) SELECT decode(md5(n::text), 'hex'), rest, place, programme, 'login' || n, client, redirect_uri,
        subject, level, membership_number, scope, code_challenge, issued_at, expires_at, forget_at,
        era, sum FROM code, generate_series(1, 2000) AS n`);
    await store.sweep(at(0), 10);
    assert.equal((await analyzed()).includes('code'), true);
    // Plans of the time when it was empty are made anew.
    const spent = await store.spendCode(club, partner, key('code'), aLogin(), at(0));
    assert.deepEqual(spent, { outcome: 'spent' });
  });
});
