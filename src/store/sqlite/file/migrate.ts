// Owns the migration of a store file from the previous schema.

import type { DatabaseSync } from 'node:sqlite';

import { accessTokens, codes, families } from '../../sql/grant_tables.ts';
import { rowSum, turned, type Value } from '../../sql/table.ts';
import { StoreUnusable } from '../../unusable.ts';
import { schemaVersion } from '../schema.ts';
import { createTable } from '../tables.ts';
import { claimFile } from './claim.ts';
import { placeOver, removeOldDrafts, withDraft } from './disk.ts';
import { registeredFromSchema5 } from './registered_from_schema_5.ts';

/** The migration from each schema to the next, inside a transaction. */
const steps: ReadonlyMap<number, (database: DatabaseSync) => void> = new Map([[5, fromSchema5]]);

/** Whether files of that schema can be migrated to this schema. */
export function canMigrate(version: number): boolean {
  return steps.has(version);
}

/** The path of the copy that a migration to a schema keeps of the old file. */
export function copyBefore(path: string, version: number): string {
  return `${path}.before-schema-${version}`;
}

/**
 * Migrates the file at `path` to this schema in one transaction, and keeps a copy of the old file
 * (FAULTS 26). Does nothing if another process has just migrated it.
 * @throws StoreUnusable where another process has the file open.
 */
export function migrateFile(path: string): void {
  const database = claimFile(path);
  try {
    removeOldDrafts(path);
    if (versionOf(database) === schemaVersion) return;
    withDraft(path, (draft) => {
      database.prepare('VACUUM INTO ?').run(draft);
      placeOver(draft, copyBefore(path, schemaVersion));
    });
    migrate(database);
  } finally {
    database.close();
  }
}

/** Migrates an open database to this schema, in one transaction. */
export function migrate(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    for (let version = versionOf(database); version < schemaVersion; version += 1) {
      const step = steps.get(version);
      if (step === undefined) throw new Error(`no migration leads on from schema ${version}`);
      step(database);
    }
    database.exec(`PRAGMA user_version = ${schemaVersion}`);
    expectWhole(database);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Schema 6 requires eras. It renames `sealed_answer` to `kept_answer`, since not all are sealed. */
function fromSchema5(database: DatabaseSync): void {
  requireEras(database);
  registeredFromSchema5(database);
  database.exec('ALTER TABLE refresh_token RENAME COLUMN sealed_answer TO kept_answer');
}

/**
 * Schema 5 added eras. Rows from before schema 5 have none and get their
 * instant of issue, which is less than any era: they stay older than every revocation.
 */
function requireEras(database: DatabaseSync): void {
  database.function('sum_with', { deterministic: true, varargs: true }, (...values) =>
    sumWith(...(values as [number, number, ...Value[]])),
  );
  for (const [table, issuedAt] of [
    [codes, 'issued_at'],
    [families, 'created_at'],
    [accessTokens, 'issued_at'],
  ] as const) {
    const { name, names, summed, order } = table;
    const before = summed.filter((column) => column !== 'era').join(', ');
    const values: Readonly<Record<string, string>> = {
      era: `coalesce(era, ${issuedAt})`,
      sum: `iif(era IS NULL, sum_with(sum, ${issuedAt}, ${before}), sum)`,
    };
    database.exec(
      `ALTER TABLE ${name} RENAME TO old_${name};
       ${createTable(table)}
       INSERT INTO ${name} SELECT ${names.map((column) => values[column] ?? column).join(', ')}
         FROM old_${name} ${order === 'as inserted' ? 'ORDER BY rowid' : ''};
       DROP TABLE old_${name}`,
    );
  }
}

/** The sum of a row that gets an era. A wrong sum becomes a wrong sum, so that damage stays visible. */
function sumWith(sum: number, era: number, ...before: Value[]): number {
  const [fitting, next] = [rowSum(before), rowSum([...before, era])];
  if (sum === fitting) return next;
  return sum === turned(fitting) ? turned(next) : sum;
}

function expectWhole(database: DatabaseSync): void {
  const found = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
  if (found === 'ok') return;
  throw new StoreUnusable(
    `the store is damaged: ${String(found)}`,
    'restore it from a backup (jetway store restore); it was left as it is',
  );
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}
