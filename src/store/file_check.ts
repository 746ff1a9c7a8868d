// Owns looking whether a store file is sound: as a whole when it is verified, as far as time allows when it is opened.

import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

import { schema, schemaVersion } from './file_schema.ts';
import { damagedRows, type SummedTable, summedColumns } from './file_sums.ts';

/** Files up to this size are looked through when opened; a tenth of a second or two. */
const largestQuickCheck = 64 * 1024 * 1024;
/** Milliseconds that rows are checked for when a file is opened: a server has to be ready within two seconds (FAULTS 1). */
const openingBudget = 500;

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
    // The quick one does not hold indices to their tables, and codes are found by theirs.
    const codes = pragmaText(database, 'integrity_check(code)');
    if (codes !== 'ok') return codes;
  }
  const rows = damagedRows(database, tables, performance.now() + openingBudget);
  return describeRows(rows);
}

/** Everything that is wrong with a file, in words; empty if nothing is. Reads all of it. */
export function allDamage(database: DatabaseSync): readonly string[] {
  const found = pragmaText(database, 'integrity_check(20)');
  if (found !== 'ok') return [found];
  if (!hasOurTables(database)) return [`its tables are not those of schema ${schemaVersion}`];
  const rows = describeRows(damagedRows(database, Object.keys(summedColumns) as SummedTable[]));
  return rows === undefined ? [] : [rows];
}

/** SQLite keeps the text of every CREATE, and believes whatever has become of it. */
function hasOurTables(database: DatabaseSync): boolean {
  const kept = database.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL').all();
  const ours = schema.split(';').flatMap((text) => text.trim() || []);
  return new Set(kept.map(({ sql }) => String(sql))).symmetricDifference(new Set(ours)).size === 0;
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
