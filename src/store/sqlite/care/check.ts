// Owns the checks of a store file: of all of it for `verify`, within a time limit when it is opened.

import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { type Item, type Kind, kinds } from '../../kinds.ts';
import { keysOf } from '../../registrations.ts';
import { type Table, type Value, wholeness } from '../../sql/table.ts';
import { tables } from '../../sql/tables.ts';
import { schema, schemaVersion } from '../schema.ts';

/** Bytes. Opening runs a quick check of files up to this size, which takes 0.1 to 0.2 seconds. */
const largestQuickCheck = 64 * 1024 * 1024;
/** Milliseconds that rows are checked for when a file is opened: a server has to be ready within two seconds (FAULTS 1). */
const openingBudget = 500;
/** Milliseconds more for each index that rows are looked up in. */
const indexBudget = 100;
/** Rows between looks at the clock. */
const stride = 200;

/** The damage found while a file is opened, as text; undefined if none was found. */
export function openingDamage(database: DatabaseSync, path: string): string | undefined {
  if (!hasOurTables(database)) return `its tables are not those of schema ${schemaVersion}`;
  if (statSync(path).size <= largestQuickCheck) {
    const found = pragmaText(database, 'quick_check(1)');
    if (found !== 'ok') return found;
  }
  return (
    describe(unfit, damagedRows(database, performance.now() + openingBudget)) ??
    describe('rows are missing in an index', lostRows(database))
  );
}

/**
 * How many rows of each table do not fit their sums; tables without any are left out. Reads all rows, or
 * until `endsAt` (of `performance.now`).
 */
function damagedRows(
  database: DatabaseSync,
  endsAt: number = Number.POSITIVE_INFINITY,
): ReadonlyMap<string, number> {
  const counts = tables.map(
    (table) => [table.name, countDamaged(database, table, endsAt)] as const,
  );
  return new Map(counts.filter(([, count]) => count > 0));
}

function countDamaged(database: DatabaseSync, table: Table, endsAt: number): number {
  const isWhole = wholeness(table);
  const select = database.prepare(`SELECT ${table.names.join(', ')} FROM ${table.name}`);
  select.setReturnArrays(true);
  let [seen, count] = [0, 0];
  for (const row of select.iterate() as unknown as Iterable<Value[]>) {
    if (!isWhole(row)) count += 1;
    seen += 1;
    if (seen % stride === 0 && performance.now() > endsAt) break;
  }
  return count;
}

/**
 * Counts the rows of each table that are missing in an index. SQLite's quick check does not compare an
 * index with its table. Tables without a rowid have no index.
 */
function lostRows(database: DatabaseSync): ReadonlyMap<string, number> {
  const indices = database.prepare(
    `SELECT tables.name AS "table", indices.name, group_concat(columns.name) AS columns
     FROM pragma_table_list AS tables, pragma_index_list(tables.name) AS indices,
       pragma_index_info(indices.name) AS columns
     WHERE tables.schema = 'main' AND tables.type = 'table' AND tables.wr = 0
     GROUP BY indices.name`,
  );
  const lost = new Map<string, number>();
  for (const index of indices.all() as unknown as Index[]) {
    const count = countLost(database, index);
    if (count > 0) lost.set(index.table, (lost.get(index.table) ?? 0) + count);
  }
  return lost;
}

interface Index {
  readonly table: string;
  readonly name: string;
  /** Joined by commas. */
  readonly columns: string;
}

function countLost(database: DatabaseSync, { table, name, columns }: Index): number {
  const same = columns.split(',').map((column) => `${column} = row.${column}`);
  // NOT INDEXED: SQLite would otherwise read the rows from the index if it has all needed columns.
  const select = database.prepare(
    `SELECT (SELECT 1 FROM ${table} INDEXED BY ${name}
       WHERE ${same.join(' AND ')} AND rowid = row.rowid) FROM ${table} AS row NOT INDEXED`,
  );
  select.setReturnArrays(true);
  const endsAt = performance.now() + indexBudget;
  let [seen, lost] = [0, 0];
  for (const [isFound] of select.iterate() as unknown as Iterable<[number | null]>) {
    if (isFound !== 1) lost += 1;
    seen += 1;
    if (seen % stride === 0 && performance.now() > endsAt) break;
  }
  return lost;
}

/** All damage of a file, as texts; empty if there is none. Reads the whole file. */
export function allDamage(database: DatabaseSync): readonly string[] {
  const found = pragmaText(database, 'integrity_check(20)');
  if (found !== 'ok') return [found];
  if (!hasOurTables(database)) return [`its tables are not those of schema ${schemaVersion}`];
  const rows = describe(unfit, damagedRows(database));
  if (rows !== undefined) return [rows];
  const keys = describe('keys are missing in look_up', lostLookUps(database));
  return keys === undefined ? [] : [keys];
}

/** Counts the keys of registered items by which `look_up` does not find them, by kind. */
function lostLookUps(database: DatabaseSync): ReadonlyMap<string, number> {
  const lost = new Map<string, number>();
  const find = database.prepare(
    'SELECT 1 FROM look_up WHERE kind = ? AND programme = ? AND name = ? AND key = ? AND id = ?',
  );
  const select = database.prepare('SELECT kind, record FROM registered');
  for (const row of select.iterate() as Iterable<{ kind: Kind; record: string }>) {
    const { kind, record } = row;
    const item = JSON.parse(record) as Item<Kind>;
    const id = kinds[kind].idOf(item as never);
    const isLost = ({ lookUp, key }: { lookUp: string; key: string }): boolean =>
      find.get(kind, item.programme, lookUp, key, id) === undefined;
    const count = keysOf(kind, item).filter(isLost).length;
    if (count > 0) lost.set(kind, (lost.get(kind) ?? 0) + count);
  }
  return lost;
}

/** SQLite stores the text of every table definition and uses it without a check. */
function hasOurTables(database: DatabaseSync): boolean {
  ourTables ??= newTables();
  return textsOf(database).symmetricDifference(ourTables).size === 0;
}

let ourTables: ReadonlySet<string> | undefined;

function newTables(): ReadonlySet<string> {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec(schema);
    return textsOf(database);
  } finally {
    database.close();
  }
}

function textsOf(database: DatabaseSync): Set<string> {
  const kept = database.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL').all();
  return new Set(kept.map(({ sql }) => String(sql)));
}

const unfit = 'rows do not fit their checksums';

function describe(fault: string, counts: ReadonlyMap<string, number>): string | undefined {
  if (counts.size === 0) return undefined;
  const each = [...counts].map(([table, count]) => `${count} of ${table}`);
  return `${fault}: ${each.join(', ')}`;
}

function pragmaText(database: DatabaseSync, pragma: string): string {
  const rows = database.prepare(`PRAGMA ${pragma}`).all();
  return rows.map((row) => String(Object.values(row)[0])).join('; ');
}
