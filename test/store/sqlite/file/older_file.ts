// Owns the scene of migration tests: a store file of schema 5, and a store opened on it.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Store } from '../../../../src/store/contract.ts';
import { openFileStore } from '../../../../src/store/sqlite/store.ts';
import { withFile } from '../../file_directory.ts';

/** A test that begins with a file of schema 5 at `path`, as the Jetway of that schema left it. */
export function withOlder(
  name: string,
  body: (path: string) => unknown,
  skip: string | false = false,
): void {
  withFile(
    `migration: ${name}`,
    async (path) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '', { mode: 0o600 });
      edit(path, (older) => {
        older.exec(readFileSync(new URL('../../schema_5.sql', import.meta.url), 'utf8'));
        older.exec('PRAGMA journal_mode = WAL');
      });
      await body(path);
    },
    skip,
  );
}

/** A test of the store that opens such a file; `prepare` changes the file before the migration. */
export function withMigrated(
  name: string,
  body: (store: Store) => Promise<void>,
  prepare: (older: DatabaseSync) => void = () => {},
): void {
  withOlder(name, async (path) => {
    edit(path, prepare);
    const store = openStaging(path);
    await body(store);
    await store.close();
  });
}

export function openStaging(path: string): Store {
  return openFileStore({ path, environment: 'staging' });
}

/** Opens the database file for one change or look, and closes it. */
export function edit<T>(path: string, change: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path);
  try {
    return change(database);
  } finally {
    database.close();
  }
}
