// Owns a PostgreSQL store in a schema of its own, for tests of its care.

import type { TestContext } from 'node:test';

import type { Store } from '../../../../src/store/contract.ts';
import {
  type PostgresLocation,
  readPostgresLocation,
} from '../../../../src/store/postgres/location.ts';
import { openPostgresStore } from '../../../../src/store/postgres/store.ts';
import { testServer } from '../../../support/postgres.ts';

export interface Scene {
  readonly location: PostgresLocation;
  readonly url: string;
  readonly open: () => Promise<Store>;
  /** Runs a statement as the store's role, in the store's schema. */
  readonly query: (text: string) => Promise<readonly object[]>;
}

/** A schema of its own, which goes with the test. */
export async function postgresScene(t: TestContext): Promise<Scene> {
  const server = await testServer();
  const schema = server.newSchema();
  const url = server.url(schema);
  const location = readPostgresLocation(url, (path) => path);
  const client = await server.client();
  await client.query(`SET search_path = "${schema}"`);
  const opened: Store[] = [];
  t.after(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await client.end();
  });
  return {
    location,
    url,
    open: async () => {
      const store = await openPostgresStore({ location, environment: 'staging' });
      opened.push(store);
      return store;
    },
    query: async (text) => (await client.query<object>(text)).rows,
  };
}
