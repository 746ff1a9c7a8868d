// Owns bringing the files of older Jetways up to the schema of this one.

import type { DatabaseSync } from 'node:sqlite';

import { StoreUnusable } from '../../unusable.ts';
import { addedBySchema3, addedBySchema5, codesInOrder, schema2, schemaVersion } from '../schema.ts';
import { rowSum, summedColumns, type SummedTable, type Value } from '../sums.ts';
import { claimFile } from './claim.ts';
import { placeOver, removeOldDrafts, withDraft } from './disk.ts';

/** What leads from each schema to the next, inside a transaction. */
const steps: ReadonlyMap<number, (database: DatabaseSync) => void> = new Map([
  [1, fromSchema1],
  [2, fromSchema2],
  [3, fromSchema3],
  [4, (database) => database.exec(addedBySchema5)],
]);

/** Whether files of that schema can be brought up to this one. */
export function canMigrate(version: number): boolean {
  return steps.has(version);
}

/** Where the file is kept as it was before it was brought up to a schema. */
export function copyBefore(path: string, version: number): string {
  return `${path}.before-schema-${version}`;
}

/**
 * Brings the file at `path` up to this schema, in one transaction; keeps a copy of it as it was
 * (FAULTS 26). Does nothing where another process has just done it.
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

/** Brings an open database up to this schema, in one transaction. */
export function migrate(database: DatabaseSync): void {
  registerSum(database);
  database.exec('BEGIN IMMEDIATE');
  try {
    let version = versionOf(database);
    while (version < schemaVersion) {
      const step = steps.get(version);
      if (step === undefined) throw new Error(`no migration leads on from schema ${version}`);
      step(database);
      version += 1;
    }
    database.exec(`PRAGMA user_version = ${version}`);
    expectWhole(database);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Schema 2 adds checksums to rows, the subject beside a member's JSON, dates of signing keys, and
 * tables for removals, revocations and uses of secrets. Keys of schema 1 signed from the first.
 */
function fromSchema1(database: DatabaseSync): void {
  const tables = ['meta', 'client', 'member', 'signing_key', 'code', 'family', 'refresh_token'];
  for (const table of [...tables, 'access_token']) {
    database.exec(`ALTER TABLE ${table} RENAME TO old_${table}`);
  }
  database.exec(schema2);
  database.exec('INSERT INTO meta SELECT * FROM old_meta; DROP TABLE old_meta');
  const subject = `member ->> 'subject'`;
  const ofSchema1: readonly (readonly [SummedTable, Readonly<Record<string, string>>])[] = [
    ['client', { position: 'position' }],
    ['member', { position: 'position' }],
    ['signing_key', { position: 'position', signs_from: 'created_at', retires_at: 'NULL' }],
    ['code', { subject }],
    ['family', { subject, revoked_at: 'revoked_at' }],
    ['refresh_token', { sealed_answer: 'sealed_answer', retry_until: 'retry_until' }],
    ['access_token', {}],
  ];
  for (const [table, others] of ofSchema1) copyRows(database, table, others);
}

/** Schema 3 adds tables; of those only the one that finds clients by their API keys begins filled. */
function fromSchema2(database: DatabaseSync): void {
  database.exec(addedBySchema3);
  database.exec(
    `INSERT OR IGNORE INTO api_key (programme, digest, client, sum)
     SELECT client.programme, value ->> 'digest', client.id,
       row_sum(client.programme, value ->> 'digest', client.id)
     FROM client, json_each(client.record, '$.apiKeys')`,
  );
}

/**
 * Schema 4 keeps codes in the order of their issue, and the sealed answer of a rotation in the row
 * of the token that it brought instead of the one that was presented.
 */
function fromSchema3(database: DatabaseSync): void {
  database.exec(`ALTER TABLE code RENAME TO old_code; ${codesInOrder}
    INSERT INTO code SELECT * FROM old_code ORDER BY issued_at; DROP TABLE old_code`);
  database.exec(
    `CREATE TEMP TABLE answer AS SELECT programme, successor AS key, sealed_answer, retry_until
       FROM refresh_token WHERE sealed_answer IS NOT NULL;
     UPDATE refresh_token SET sealed_answer = NULL, retry_until = NULL
       WHERE sealed_answer IS NOT NULL;
     UPDATE refresh_token AS token
       SET sealed_answer = answer.sealed_answer, retry_until = answer.retry_until
       FROM answer WHERE answer.programme = token.programme AND answer.key = token.key;
     DROP TABLE answer`,
  );
}

/** Copies the rows of `old_…` with their sums; `others` tells columns that are not as they were or not summed. */
function copyRows(
  database: DatabaseSync,
  table: SummedTable,
  others: Readonly<Record<string, string>>,
): void {
  const summed = summedColumns[table].map((column) => others[column] ?? column);
  const rest = Object.entries(others).filter(([name]) => !summedColumns[table].includes(name));
  const names = [...summedColumns[table], ...rest.map(([name]) => name), 'sum'];
  const sum = `row_sum(${summed.join(', ')})`;
  const turned = table === 'family' ? `iif(revoked_at IS NULL, ${sum}, ~${sum})` : sum;
  const values = [...summed, ...rest.map(([, value]) => value), turned];
  database.exec(
    `INSERT INTO ${table} (${names.join(', ')}) SELECT ${values.join(', ')} FROM old_${table};
     DROP TABLE old_${table}`,
  );
}

function registerSum(database: DatabaseSync): void {
  const options = { deterministic: true, varargs: true };
  database.function('row_sum', options, (...values) => rowSum(values as Value[]));
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
