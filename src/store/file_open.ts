// Owns opening a store file: making it whole or not at all, and refusing what is not this store.

import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

import type { Instant } from '../lib/clock.ts';
import { randomKey } from '../lib/random.ts';
import type { Environment } from './contract.ts';
import { applicationId, schema, schemaVersion } from './file_schema.ts';
import { sqliteCode } from './outage.ts';
import { StoreUnusable } from './unusable.ts';

const restoreHint = 'restore it from a backup (jetway store restore); it was left as it is';

/** Files up to this size are checked whole when opened; `jetway store verify` checks any. */
const largestQuickCheck = 64 * 1024 * 1024;

/** Milliseconds to wait for another process's lock; SQLite's default is not to wait at all. */
const busyTimeout = 5000;

/**
 * The connection to the store file at `path` (absolute), which is made if it is missing.
 * @throws StoreUnusable for whatever its operator has to look at.
 */
export function openDatabase(path: string, environment: Environment, now: Instant): DatabaseSync {
  try {
    if (!exists(path)) createFile(path, environment, now);
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (error instanceof StoreUnusable) throw error;
    throw new StoreUnusable(
      `store ${path} cannot be opened: ${reasonOf(error)}`,
      'check the path, its permissions and the space left on the disk',
      { cause: error },
    );
  }
  return openFile(path, environment);
}

function exists(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return true;
  // A new file beside an old log would have that log's pages played into it.
  const log = `${path}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) return false;
  // Unless another process has just made both.
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return true;
  throw new StoreUnusable(`store ${path} is gone but its log ${log} is there`, restoreHint);
}

/**
 * Builds the file under another name and links it into place when it is complete: a crash or a
 * second process never meets half a store, so an empty file is always a damaged one.
 */
function createFile(path: string, environment: Environment, now: Instant): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomKey(6)}.new`;
  closeSync(openSync(draft, 'wx', 0o600));
  try {
    writeSchema(draft, environment, now);
    synchronise(draft);
    linkSync(draft, path);
  } catch (error) {
    // Another process was faster; its file is as good.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(draft + suffix, { force: true });
  }
  synchronise(dirname(path));
}

function writeSchema(draft: string, environment: Environment, now: Instant): void {
  const database = new DatabaseSync(pathToFileURL(draft));
  try {
    database.exec(`BEGIN; ${schema}`);
    const insert = database.prepare('INSERT INTO meta (name, value) VALUES (?, ?)');
    insert.run('environment', environment);
    insert.run('created_at', new Date(now).toISOString());
    database.exec(`PRAGMA application_id = ${applicationId}`);
    database.exec(`PRAGMA user_version = ${schemaVersion}`);
    database.exec('COMMIT');
    // Last: until here all is in the one file that gets linked, whatever becomes of the log.
    useLog(database, draft);
  } finally {
    database.close();
  }
}

function synchronise(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function openFile(path: string, environment: Environment): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    const url = pathToFileURL(path);
    // Never make one: what vanished since it was seen is the operator's to explain.
    url.searchParams.set('mode', 'rw');
    database = new DatabaseSync(url, { timeout: busyTimeout });
    expectOurs(database, path);
    prepareConnection(database, path);
    expectSound(database, path);
    expectEnvironment(database, path, environment);
    return database;
  } catch (error) {
    database?.close();
    throw error instanceof StoreUnusable ? error : unusable(path, error);
  }
}

/** Looks at the header before anything is written: another program's file stays as it is. */
function expectOurs(database: DatabaseSync, path: string): void {
  // Reading comes first: SQLite itself names a file that is no database.
  const id = numberOf(database, 'application_id');
  if (statSync(path).size === 0) throw new StoreUnusable(`store ${path} is empty`, restoreHint);
  if (id !== applicationId) {
    throw new StoreUnusable(
      `${path} is a database of another application (application_id ${id})`,
      'name another path in the configuration (store:)',
    );
  }
  const version = numberOf(database, 'user_version');
  if (version !== schemaVersion) {
    throw new StoreUnusable(
      `store ${path} has schema ${version}; this Jetway knows schema ${schemaVersion}`,
      'run the Jetway that wrote it, or a newer one',
    );
  }
}

function prepareConnection(database: DatabaseSync, path: string): void {
  useLog(database, path);
  database.exec(`
    PRAGMA synchronous = FULL;
    PRAGMA cell_size_check = ON;
    PRAGMA journal_size_limit = 67108864;
  `);
}

/** Readers never wait for writers with a write-ahead log; the mode stays with the file. */
function useLog(database: DatabaseSync, path: string): void {
  const mode = textOf(database, 'PRAGMA journal_mode = WAL', 'journal_mode');
  if (mode === 'wal') return;
  throw new StoreUnusable(
    `store ${path} cannot keep a write-ahead log`,
    'put it on a local file system',
  );
}

function expectSound(database: DatabaseSync, path: string): void {
  if (statSync(path).size > largestQuickCheck) return;
  const found = textOf(database, 'PRAGMA quick_check(1)', 'quick_check');
  if (found !== 'ok') throw new StoreUnusable(`store ${path} is damaged: ${found}`, restoreHint);
}

/** C-3: a store belongs to one environment. */
function expectEnvironment(database: DatabaseSync, path: string, environment: Environment): void {
  const query = `SELECT value FROM meta WHERE name = 'environment'`;
  const owner = textOf(database, query, 'value');
  if (owner === environment) return;
  throw new StoreUnusable(
    `store ${path} belongs to environment ${owner}; this configuration is for ${environment}`,
    `set environment: ${owner}, or name another path for ${environment} (store:)`,
  );
}

function numberOf(database: DatabaseSync, pragma: string): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}

function textOf(database: DatabaseSync, query: string, column: string): string {
  return String(database.prepare(query).get()?.[column]);
}

/** What SQLite could not open, told to people (sqlite.org/rescode.html: 11 CORRUPT, 26 NOTADB). */
function unusable(path: string, cause: unknown): StoreUnusable {
  const code = sqliteCode(cause);
  if (code === 26) return new StoreUnusable(`${path} is not a database`, restoreHint, { cause });
  const reason = reasonOf(cause);
  if (code === 11) {
    return new StoreUnusable(`store ${path} is damaged: ${reason}`, restoreHint, { cause });
  }
  return new StoreUnusable(
    `store ${path} cannot be opened: ${reason}`,
    'check its permissions, the space left on the disk and what else has it open',
    { cause },
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
