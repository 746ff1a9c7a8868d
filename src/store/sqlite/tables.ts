// Owns what SQLite makes of the descriptions of tables: their CREATE, INSERT and SELECT, prepared once.

import type { DatabaseSync } from 'node:sqlite';

import { type FoundIn, partReader, type Parts } from '../sql/parts.ts';
import { sumOf, type Table, type Value } from '../sql/table.ts';

/** SQL that makes the table. */
export function createTable({ name, columns, key, unique, order }: Table): string {
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

/** Writes a row of the table and returns how many rows it changed; call it inside a write. */
export type Insert<Row> = (row: Omit<Row, 'sum'>) => number;

/** `conflict` follows the values: what is done where the key is taken. */
export function inserter<Row>(
  database: DatabaseSync,
  described: Table<Row>,
  conflict = '',
): Insert<Row> {
  const { name, names } = described;
  const marks = names.map(() => '?').join(', ');
  const insert = database.prepare(
    `INSERT INTO ${name} (${names.join(', ')}) VALUES (${marks}) ${conflict}`,
  );
  const columns = names.slice(0, -1);
  return (row) => {
    const held = row as Readonly<Record<string, Value>>;
    const values = columns.map((column) => held[column] ?? null);
    return Number(insert.run(...values, sumOf(described, row)).changes);
  };
}

/** Prepares `SELECT … ${rest}`, of which all rows are found. */
export function lister<const Named extends Parts>(
  database: DatabaseSync,
  parts: Named,
  rest: string,
): (...params: readonly Value[]) => readonly FoundIn<Named>[] {
  const { select, read } = reader(database, parts, rest);
  return (...params) => (select.all(...params) as unknown as Value[][]).map(read);
}

function reader<Named extends Parts>(database: DatabaseSync, parts: Named, rest: string) {
  const { columns, read } = partReader(parts);
  const select = database.prepare(`SELECT ${columns} ${rest}`);
  select.setReturnArrays(true);
  return { select, read };
}
