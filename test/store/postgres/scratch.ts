// Owns stores for tests in a schema of their own on this process's PostgreSQL.

import assert from 'node:assert/strict';

import type { Store } from '../../../src/store/contract.ts';
import {
  type PostgresLocation,
  readPostgresLocation,
} from '../../../src/store/postgres/location.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { type Scope, scratchSchema, type ScratchSchema } from '../../support/postgres.ts';
import type { OpenStore } from '../with_store.ts';

export interface PostgresScene extends ScratchSchema {
  readonly location: PostgresLocation;
  /** Opens a store there, which is closed with the test. */
  readonly open: (options?: Partial<Parameters<typeof openPostgresStore>[0]>) => Promise<Store>;
}

export interface PostgresScratch extends PostgresScene, Omit<Required<OpenStore>, 'close'> {}

/** A schema without a store, which goes with the test. */
export async function postgresScene(t: Scope): Promise<PostgresScene> {
  const opened: Store[] = [];
  // Registered first, runs first.
  t.after(() => Promise.all(opened.map((store) => store.close())));
  const schema = await scratchSchema(t);
  const location = readPostgresLocation(schema.url, (path) => path);
  const open: PostgresScene['open'] = async (options) => {
    const store = await openPostgresStore({ location, environment: 'staging', ...options });
    opened.push(store);
    return store;
  };
  return { ...schema, location, open };
}

/** The same with a store. */
export async function postgresStore(t: Scope): Promise<PostgresScratch> {
  const scene = await postgresScene(t);
  const opened = [await scene.open()];
  const another = async (): Promise<Store> => {
    const store = await scene.open();
    opened.push(store);
    return store;
  };
  const [store] = opened;
  assert.ok(store);
  return {
    ...scene,
    store,
    another,
    reopen: async () => {
      await Promise.all(opened.map((one) => one.close()));
      return another();
    },
    damage: async (kind, id) => {
      // What nodes remember of registered things stands until their number changes.
      const harmed = await scene.query(
        `WITH remembered AS (UPDATE epoch SET registrations = registrations + 1)
         UPDATE registered SET record = replace(record, '"', '~')
         WHERE kind = '${kind}' AND id = '${id}' RETURNING id`,
      );
      assert.equal(harmed.length, 1);
    },
  };
}

/** The same for whoever closes it. */
export async function openScratchPostgres(): Promise<PostgresScratch & OpenStore> {
  const ends: (() => unknown)[] = [];
  const scratch = await postgresStore({ after: (end) => void ends.push(end) });
  const close = async (): Promise<void> => {
    for (const end of ends) await end();
  };
  return { ...scratch, close };
}
