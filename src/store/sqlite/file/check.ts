// Owns the checks of a store file: within a time limit when it is opened, and of its pages as a whole.

import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { describe } from '../../admin/report.ts';
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
  if (!hasOurTables(database)) return foreignTables;
  if (statSync(path).size <= largestQuickCheck) {
    const found = pragmaText(database, 'quick_check(1)');
    if (found !== 'ok') return found;
  }
  const endsAt = performance.now() + openingBudget;
  const counts = tables.map(
    (table) => [table.name, countDamaged(database, table, endsAt)] as const,
  );
  const unfit = new Map(counts.filter(([, count]) => count > 0));
  const [damage] = [
    ...describe('rows do not fit their checksums', unfit),
    ...describe('rows are missing in an index', lostRows(database)),
  ];
  return damage;
}

const foreignTables = `its tables are not those of schema ${schemaVersion}`;

/** How many rows do not fit their sums, until `endsAt` (of `performance.now`). */
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

/** Damage of a whole file as texts, but for what its rows say; empty if there is none. */
export function fileDamage(database: DatabaseSync): readonly string[] {
  const found = pragmaText(database, 'integrity_check(20)');
  if (found !== 'ok') return [found];
  return hasOurTables(database) ? [] : [foreignTables];
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

function pragmaText(database: DatabaseSync, pragma: string): string {
  const rows = database.prepare(`PRAGMA ${pragma}`).all();
  return rows.map((row) => String(Object.values(row)[0])).join('; ');
}
