// Owns the checksums of the file store's rows: what each covers, and telling a row that has changed by itself.

import type { DatabaseSync } from 'node:sqlite';

import { grantTables } from '../sql/grant_tables.ts';
import { rowSum, turned, type Value } from '../sql/table.ts';
import { registryColumns, type RegistryTable } from './registry_schema.ts';

type GrantTable =
  | 'code'
  | 'family'
  | 'refresh_token'
  | 'access_token'
  | 'revocation'
  | 'revoked_token';

export type SummedTable = RegistryTable | GrantTable | 'login_attempt';

const grantColumns = Object.fromEntries(
  grantTables.map(({ name, summed }) => [name, summed]),
) as Readonly<Record<GrantTable, readonly string[]>>;

/** The columns each sum covers, in the order in which they are written. */
export const summedColumns: Readonly<Record<SummedTable, readonly string[]>> = {
  ...registryColumns,
  ...grantColumns,
  login_attempt: ['programme', 'key', 'used', 'window_ends_at', 'locked_until'],
};

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
    if (sum !== (revoked === null ? expected : turned(expected))) count += 1;
    seen += 1;
    if (seen % stride === 0 && performance.now() > endsAt) break;
  }
  return count;
}
