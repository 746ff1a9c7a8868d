// Owns the older store that each file of a crash campaign starts from (FAULTS 26).

import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const schema5 = readFileSync(new URL('../test/store/schema_5.sql', import.meta.url), 'utf8');

/** What is counted, by name: the tables of schema 5, and the rows of each since. */
const before = {
  client: 'client',
  member: 'member',
  signing_key: 'signing_key',
  code: 'code',
  family: 'family',
  refresh_token: 'refresh_token',
  access_token: 'access_token',
};
const since: typeof before = {
  ...before,
  client: ofKind('client'),
  member: ofKind('member'),
  signing_key: ofKind('signing_key'),
};

function ofKind(kind: string): string {
  return `(SELECT * FROM registered WHERE kind = '${kind}')`;
}

/** Makes the file as the code of schema 5 left it. */
export function makeOlder(path: string): void {
  writeFileSync(path, '', { mode: 0o600 });
  const database = new DatabaseSync(path);
  database.exec(schema5);
  database.exec('PRAGMA journal_mode = WAL');
  database.close();
}

/** Its rows, of which the workers change none: they work for another programme. */
const rows = (database: DatabaseSync, tables: typeof before): readonly unknown[] =>
  Object.values(tables).map((table) => {
    const count = `SELECT count(*) AS n FROM ${table} WHERE programme LIKE '%-club'`;
    return database.prepare(count).get()?.['n'];
  });

const all = ((): readonly unknown[] => {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec(schema5);
    return rows(database, before);
  } finally {
    database.close();
  }
})();

/** What of the older store's rows is missing, in words. */
export function lossOfOlder(database: DatabaseSync): readonly string[] {
  const left = rows(database, since);
  return Object.keys(since)
    .filter((_, n) => left[n] !== all[n])
    .map((table) => `rows of ${table} from before the migration are lost`);
}
