// Owns stores for tests in a schema of their own on this process's PostgreSQL.

import assert from 'node:assert/strict';

import type { Place } from '../../../src/oauth/grant.ts';
import type { Store } from '../../../src/store/contract.ts';
import {
  type PostgresLocation,
  readPostgresLocation,
} from '../../../src/store/postgres/location.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { testServer } from '../../support/postgres.ts';
import type { OpenStore } from '../with_store.ts';

/** A store in a new schema, which goes with it. */
export async function openScratchPostgres(): Promise<
  OpenStore & { location: PostgresLocation; harmLogin: (place: Place) => Promise<void> }
> {
  const server = await testServer();
  const schema = server.newSchema();
  const location = readPostgresLocation(server.url(schema), (path) => path);
  const opened: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = await openPostgresStore({ location, environment: 'staging' });
    opened.push(store);
    return store;
  };
  const store = await open();
  return {
    store,
    location,
    another: open,
    reopen: async () => {
      await Promise.all(opened.map((one) => one.close()));
      return open();
    },
    damage: async (kind, id) => {
      const client = await server.client();
      // What nodes remember of registered things stands until their number changes.
      const harmed = await client.query(
        `WITH remembered AS (UPDATE "${schema}".epoch SET registrations = registrations + 1)
         UPDATE "${schema}".registered SET record = replace(record, '"', '~')
         WHERE kind = $1 AND id = $2 RETURNING id`,
        [kind, id],
      );
      assert.equal(harmed.rows.length, 1);
      await client.end();
    },
    harmLogin: async (place) => {
      const client = await server.client();
      await client.query(`UPDATE "${schema}".login SET sum = sum + 1 WHERE place = $1`, [place]);
      await client.end();
    },
    close: async () => {
      await Promise.all(opened.map((one) => one.close()));
      const client = await server.client();
      await client.query(`DROP SCHEMA "${schema}" CASCADE`);
      await client.end();
    },
  };
}
