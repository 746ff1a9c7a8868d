// Owns looking whether a store file is sound: as a whole when it is verified, as far as time allows when it is opened.

import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { schema, schemaVersion } from '../schema.ts';
import { damagedRows, type SummedTable, summedColumns } from '../sums.ts';

/** Files up to this size are looked through when opened; a tenth of a second or two. */
const largestQuickCheck = 64 * 1024 * 1024;
/** Milliseconds that rows are checked for when a file is opened: a server has to be ready within two seconds (FAULTS 1). */
const openingBudget = 500;
/** Milliseconds more for looking codes up. */
const indexBudget = 200;
/** Codes between looks at the clock. */
const stride = 200;

/** What is lost for good comes first; what is granted ends by itself. */
const tables: readonly SummedTable[] = [
  'client',
  'removed_client',
  'signing_key',
  'revocation',
  'revoked_token',
  'api_key',
  'gateway',
  'member',
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
  const rows = damagedRows(database, tables, performance.now() + openingBudget);
  const lost = lostCodes(database, performance.now() + indexBudget);
  return describeRows(rows) ?? (lost === 0 ? undefined : `${lost} codes are missing in an index`);
}

/**
 * How many codes are not found by what they are looked up by. Their indices are trees of their own,
 * which a quick check does not hold to the table; every other row granted lies in its index.
 */
function lostCodes(database: DatabaseSync, endsAt: number): number {
  const select = database.prepare(
    `SELECT rowid = (SELECT rowid FROM code WHERE programme = row.programme AND key = row.key)
       AND rowid = (SELECT rowid FROM code WHERE programme = row.programme AND login = row.login)
     FROM code AS row`,
  );
  select.setReturnArrays(true);
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
  const rows = describeRows(damagedRows(database, Object.keys(summedColumns) as SummedTable[]));
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

function describeRows(counts: ReadonlyMap<SummedTable, number>): string | undefined {
  if (counts.size === 0) return undefined;
  const each = [...counts].map(([table, count]) => `${count} of ${table}`);
  return `rows do not fit their checksums: ${each.join(', ')}`;
}

function pragmaText(database: DatabaseSync, pragma: string): string {
  const rows = database.prepare(`PRAGMA ${pragma}`).all();
  return rows.map((row) => String(Object.values(row)[0])).join('; ');
}
