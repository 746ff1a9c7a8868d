// Owns the tables of the file store and the numbers that mark a file as one.

import type { Table } from '../sql/table.ts';
import { tables } from '../sql/tables.ts';

/** `Jetw`, in the header of every store file (PRAGMA application_id). */
export const applicationId = 0x4a65_7477;

/** `Jetm`, in the header of a file that was moved into another store: it opens in no Jetway, older ones included. */
export const movedApplicationId = 0x4a65_746d;

/**
 * The schema below; a file with a higher number was written by a newer Jetway. Until something is released
 * there is no migration: a file with a lower number is refused.
 */
export const schemaVersion = 11;

/** Without sums: a process whose lease is not what it wrote takes another number. */
const otherTables = `
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE node_lease (
  node INTEGER PRIMARY KEY,
  holder TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  facts TEXT
) STRICT;
`;

/** SQL that makes the table. */
function createTable({ name, columns, key, unique, order }: Table): string {
  const lines = [
    ...Object.entries(columns).map(
      ([column, { type, isNullable }]) =>
        `${column} ${type.toUpperCase()}${isNullable ? '' : ' NOT NULL'}`,
    ),
    `PRIMARY KEY (${key.join(', ')})`,
    ...unique.map((names) => `UNIQUE (${names.join(', ')})`),
  ];
  const options = order === 'by key' ? 'STRICT, WITHOUT ROWID' : 'STRICT';
  return `CREATE TABLE ${name} (\n  ${lines.join(',\n  ')}\n) ${options};\n`;
}

/** All tables. */
export const schema: string = [...tables.map(createTable), otherTables].join('');
