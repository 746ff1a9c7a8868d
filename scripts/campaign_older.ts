// Owns the older store that each file of a crash campaign begins as, and what of it must outlast every
// kill (FAULTS 26).

import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const schema5 = readFileSync(new URL('../test/store/schema_5.sql', import.meta.url), 'utf8');
const tables = [
  'client',
  'member',
  'signing_key',
  'code',
  'family',
  'refresh_token',
  'access_token',
];

/** Makes the file as the code of schema 5 left it. */
export function makeOlder(path: string): void {
  writeFileSync(path, '', { mode: 0o600 });
  const database = new DatabaseSync(path);
  database.exec(schema5);
  database.exec('PRAGMA journal_mode = WAL');
  database.close();
}

/** Its rows, of which the workers change none: they work for another programme. */
const rows = (database: DatabaseSync): readonly unknown[] =>
  tables.map((table) => {
    const count = `SELECT count(*) AS n FROM ${table} WHERE programme LIKE '%-club'`;
    return database.prepare(count).get()?.['n'];
  });

const all = ((): readonly unknown[] => {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec(schema5);
    return rows(database);
  } finally {
    database.close();
  }
})();

/** What of the older store's rows is missing, in words. */
export function lossOfOlder(database: DatabaseSync): readonly string[] {
  const left = rows(database);
  return tables
    .filter((_, n) => left[n] !== all[n])
    .map((table) => `rows of ${table} from before the migration are lost`);
}
