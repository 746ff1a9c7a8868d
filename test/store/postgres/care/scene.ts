// Owns a PostgreSQL store in a schema of its own, for tests of its care.

import type { TestContext } from 'node:test';

import type { Store } from '../../../../src/store/contract.ts';
import {
  type PostgresLocation,
  readPostgresLocation,
} from '../../../../src/store/postgres/location.ts';
import { openPostgresStore } from '../../../../src/store/postgres/store.ts';
import { scratchSchema, type ScratchSchema } from '../../../support/postgres.ts';

export interface Scene extends ScratchSchema {
  readonly location: PostgresLocation;
  readonly open: () => Promise<Store>;
}

/** A schema of its own, which goes with the test. */
export async function postgresScene(t: TestContext): Promise<Scene> {
  const opened: Store[] = [];
  // Registered first, runs first.
  t.after(() => Promise.all(opened.map((store) => store.close())));
  const { url, query } = await scratchSchema(t);
  const location = readPostgresLocation(url, (path) => path);
  return {
    location,
    url,
    open: async () => {
      const store = await openPostgresStore({ location, environment: 'staging' });
      opened.push(store);
      return store;
    },
    query,
  };
}
