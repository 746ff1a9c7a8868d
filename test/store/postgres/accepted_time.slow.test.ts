// Owns tests that PostgreSQL accepts a time as a whole or not at all.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ClientId } from '../../../src/oauth/client.ts';
import { firstEra } from '../../../src/store/judgement.ts';
import { testServer } from '../../support/postgres.ts';
import { aClient, at, club, inParallel } from '../fixtures.ts';
import { afterAccepted, beforeAccepted } from './accepted_time.ts';
import { openScratchPostgres } from './scratch.ts';

describe('FAULTS 33: a time is accepted as a whole or not at all', () => {
  for (const table of ['registered', 'login', 'secret_use', 'kept_text', 'meta', 'code']) {
    test(`where the database fails at ${table}`, async () => {
      const { store, location, close } = await openScratchPostgres();
      const client = await (await testServer()).client();
      try {
        await beforeAccepted(store);
        await client.query(`SET search_path = "${location.schema}";
          CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'failed'; END $$;
          CREATE TRIGGER fails BEFORE INSERT OR UPDATE OR DELETE ON ${table}
            FOR EACH ROW EXECUTE FUNCTION fail()`);
        await assert.rejects(store.acceptTime(at(60)), /failed/);
        assert.deepEqual(await afterAccepted(store), [at(500), at(500), false, at(600)]);
        assert.equal(await store.era(), firstEra);
        await client.query(`DROP TRIGGER fails ON ${table}`);
        await store.acceptTime(at(60));
        assert.deepEqual(await afterAccepted(store), [at(60), at(60), undefined, at(60)]);
      } finally {
        await client.end();
        await close();
      }
    });
  }

  test('with all registrations that other nodes change meanwhile', async () => {
    const { store, another, close } = await openScratchPostgres();
    try {
      await beforeAccepted(store);
      const other = (await another?.()) ?? store;
      const changes = inParallel(20, async (n) => {
        await other.add('client', [aClient({ id: `partner-${n}` as ClientId })]);
      });
      await store.acceptTime(at(60));
      await changes;
      assert.deepEqual(await afterAccepted(other), [at(60), at(60), undefined, at(60)]);
      assert.equal((await other.list('client', club)).length, 21);
      assert.equal(await other.era(), firstEra + 1);
    } finally {
      await close();
    }
  });
});
