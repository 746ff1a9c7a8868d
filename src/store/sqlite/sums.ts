// Owns the checksums of the file store's rows: what each covers, and telling a row that has changed by itself.

import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

import { Unavailable } from '../../oauth/failure.ts';
import type { Kind } from '../kinds.ts';
import { registryColumns, type RegistryTable } from './registry_schema.ts';

export type Value = string | number | null;

export type SummedTable =
  | RegistryTable
  | 'revocation'
  | 'code'
  | 'family'
  | 'refresh_token'
  | 'access_token'
  | 'revoked_token'
  | 'login_attempt';

/** The columns each sum covers, in the order in which they are written. */
export const summedColumns: Readonly<Record<SummedTable, readonly string[]>> = {
  ...registryColumns,
  revocation: ['programme', 'owner', 'revoked_until'],
  code: [
    'programme',
    'key',
    'login',
    'client',
    'redirect_uri',
    'member',
    'subject',
    'scope',
    'code_challenge',
    'issued_at',
    'expires_at',
    'forget_at',
    'spent_for',
    'era',
  ],
  // Not `revoked_at`: revoking turns the sum over (`~sum`), which needs no look at the row.
  family: [
    'programme',
    'key',
    'client',
    'member',
    'subject',
    'scope',
    'created_at',
    'ends_at',
    'era',
  ],
  // Not the sealed answer, which is authenticated by itself, nor its end: both are erased in bulk.
  refresh_token: ['programme', 'key', 'family', 'expires_at', 'predecessor', 'successor'],
  access_token: [
    'programme',
    'key',
    'client',
    'kind',
    'subject',
    'family',
    'scope',
    'issued_at',
    'expires_at',
    'era',
  ],
  revoked_token: ['programme', 'key', 'expires_at'],
  login_attempt: ['programme', 'key', 'used', 'window_ends_at', 'locked_until'],
};

/**
 * The checksum of a row's values. A CRC finds what a failing disk or memory does to a row; it is
 * no proof against somebody who can write to the file.
 */
export function rowSum(values: readonly Value[]): number {
  let text = '';
  for (const value of values) text += value === null ? '\u0001\u0000' : `${value}\u0000`;
  return crc32(text);
}

/** The sum of a family that was revoked: SQLite's `~sum`. */
export function revokedSum(sum: number): number {
  return -sum - 1;
}

/**
 * Holds a row that was read to its sum.
 * @throws Unavailable for a damaged row: no answer about it would be true (G-22).
 */
export function expectSum(table: SummedTable, sum: number, values: readonly Value[]): void {
  if (rowSum(values) !== sum) throw damaged(table);
}

/** The error of a verb that met a damaged row. */
export function damaged(table: SummedTable | Kind): Unavailable {
  return new Unavailable(`store: a row of ${table} is damaged`);
}

/**
 * How many rows of each table do not fit their sums; tables without any are left out. Reads them
 * all, in the order of `tables`, or until `endsAt` (of `performance.now`).
 */
export function damagedRows(
  database: DatabaseSync,
  tables: readonly SummedTable[],
  endsAt: number = Number.POSITIVE_INFINITY,
): ReadonlyMap<SummedTable, number> {
  const counts = tables.map((table) => [table, countDamaged(database, table, endsAt)] as const);
  return new Map(counts.filter(([, count]) => count > 0));
}

/** Rows between looks at the clock. */
const stride = 1000;

function countDamaged(database: DatabaseSync, table: SummedTable, endsAt: number): number {
  const columns = summedColumns[table];
  const revokedAt = table === 'family' ? 'revoked_at' : 'NULL';
  const select = database.prepare(`SELECT ${columns.join(', ')}, ${revokedAt}, sum FROM ${table}`);
  select.setReturnArrays(true);
  let [seen, count] = [0, 0];
  for (const row of select.iterate() as unknown as Iterable<Value[]>) {
    const [revoked = null, sum = null] = row.splice(columns.length);
    const expected = rowSum(row);
    if (sum !== (revoked === null ? expected : revokedSum(expected))) count += 1;
    seen += 1;
    if (seen % stride === 0 && performance.now() > endsAt) break;
  }
  return count;
}
