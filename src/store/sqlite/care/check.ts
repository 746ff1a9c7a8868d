// Owns looking whether a store file is sound: as a whole when it is verified, as far as time allows when it is opened.

import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { schema, schemaVersion } from '../schema.ts';
import { damagedRows, type SummedTable, summedColumns } from '../sums.ts';

/** Files up to this size are looked through when opened; a tenth of a second or two. */
const largestQuickCheck = 64 * 1024 * 1024;
/** Milliseconds that rows are checked for when a file is opened: a server has to be ready within two seconds (FAULTS 1). */
const openingBudget = 500;
/** Milliseconds more for each index that rows are looked up in. */
const indexBudget = 100;
/** Rows between looks at the clock. */
const stride = 200;

/** What is lost for good comes first; what is granted ends by itself. */
const tables: readonly SummedTable[] = [
  'removed',
  'revocation',
  'revoked_token',
  'registered',
  'look_up',
  'family',
  'code',
  'refresh_token',
  'access_token',
  'login_attempt',
];

/** What is wrong with a file that is being opened, in words; undefined if nothing was found. */
export function openingDamage(database: DatabaseSync, path: string): string | undefined {
  if (!hasOurTables(database)) return `its tables are not those of schema ${schemaVersion}`;
  if (statSync(path).size <= largestQuickCheck) {
    const found = pragmaText(database, 'quick_check(1)');
    if (found !== 'ok') return found;
  }
  return (
    describe(unfit, damagedRows(database, tables, performance.now() + openingBudget)) ??
    describe('rows are missing in an index', lostRows(database))
  );
}

/**
 * Rows of each table that are not found by what they are looked up by. A quick check does not compare
 * an index with its table; tables without a rowid have none.
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
  // NOT INDEXED: else SQLite reads all of the rows from the index, if its columns are all it needs.
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

/** Everything that is wrong with a file, in words; empty if nothing is. Reads all of it. */
export function allDamage(database: DatabaseSync): readonly string[] {
  const found = pragmaText(database, 'integrity_check(20)');
  if (found !== 'ok') return [found];
  if (!hasOurTables(database)) return [`its tables are not those of schema ${schemaVersion}`];
  const rows = describe(unfit, damagedRows(database, Object.keys(summedColumns) as SummedTable[]));
  return rows === undefined ? [] : [rows];
}

/** SQLite keeps the text of every table, and believes whatever has become of it. */
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
