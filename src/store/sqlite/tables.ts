// Owns what SQLite makes of the descriptions of tables: their CREATE, INSERT and SELECT, prepared once.

import type { DatabaseSync } from 'node:sqlite';

import { type ColumnList, sumOf, type Table, type Value } from '../sql/table.ts';

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

/** Writes a row of the table and returns its sum; call it inside a write. */
export type Insert<Row> = (row: Omit<Row, 'sum'>) => number;

/** `more` follows the values: what is done where the key is taken. */
export function inserter<Row>(
  database: DatabaseSync,
  described: Table<Row>,
  more = '',
): Insert<Row> {
  const { name, names } = described;
  const marks = names.map(() => '?').join(', ');
  const insert = database.prepare(
    `INSERT INTO ${name} (${names.join(', ')}) VALUES (${marks}) ${more}`,
  );
  const columns = names.slice(0, -1);
  return (row) => {
    const held = row as Readonly<Record<string, Value>>;
    const sum = sumOf(described, row);
    insert.run(...columns.map((column) => held[column] ?? null), sum);
    return sum;
  };
}

/** What a statement reads of a table that it names so. */
export interface Part<Found> {
  readonly names: readonly string[];
  readonly alias: string;
  /** Never there: it carries the type of what is found. */
  readonly found?: Found;
}

export function from<Row>({ names }: ColumnList<Row>, alias: string): Part<Row> {
  return { names, alias };
}

/** Null where a LEFT JOIN found no row: the first column must be one that is never NULL. */
export function leftJoined<Row>({ names }: ColumnList<Row>, alias: string): Part<Row | null> {
  return { names, alias };
}

type FoundIn<Parts> = {
  readonly [Name in keyof Parts]: Parts[Name] extends Part<infer Found> ? Found : never;
};

/**
 * Prepares `SELECT … ${rest}`, of which the first row is found. SQLite makes its column names anew
 * for every row: rows are read as arrays, and named here.
 */
export function finder<Parts extends Readonly<Record<string, Part<unknown>>>>(
  database: DatabaseSync,
  parts: Parts,
  rest: string,
): (...names: readonly Value[]) => FoundIn<Parts> | undefined {
  const list: string[] = [];
  const readers = Object.entries(parts).map(([name, { names, alias }]) => {
    const start = list.length;
    list.push(...names.map((column) => `${alias}.${column}`));
    const empty = Object.fromEntries(names.map((column) => [column, null]));
    return { name, start, names, empty };
  });
  const select = database.prepare(`SELECT ${list.join(', ')} ${rest}`);
  select.setReturnArrays(true);
  return (...params) => {
    const values = select.get(...params) as unknown as readonly Value[] | undefined;
    if (values === undefined) return undefined;
    const found: Record<string, unknown> = {};
    for (const { name, start, names, empty } of readers) {
      if (values[start] === null) {
        found[name] = null;
        continue;
      }
      // A copy has all its properties from the start: cheaper than to add one after another.
      const row: Record<string, Value> = { ...empty };
      let at = start;
      for (const column of names) row[column] = values[at++] ?? null;
      found[name] = row;
    }
    return found as FoundIn<Parts>;
  };
}
