// Owns making, checking, opening and closing a store file.

import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

import type { Instant } from '../../../lib/clock.ts';
import { makeFolder } from '../../../lib/make_folder.ts';
import type { Environment } from '../../contract.ts';
import { damagedStore, StoreUnusable, restoreHint } from '../../unusable.ts';
import { releaseReserve, reserveOf } from '../commits/disk_space.ts';
import { isFull } from '../commits/outage.ts';
import { metaOf } from '../meta.ts';
import { applicationId, schema, schemaVersion } from '../schema.ts';
import { openingDamage } from './check.ts';
import { makeDraft, placeNew, removeDraft } from './disk.ts';
import { type FileIdentity, identityOf, isOpenHere, noteOpen } from './identity.ts';
import { logDamage } from './log.ts';
import {
  expectEnvironment,
  expectFilePath,
  expectOurs,
  expectPrivate,
  reasonOf,
  unusable,
} from './refusals.ts';

/** Milliseconds to wait for another process's lock while opening; later nothing waits in SQLite. */
const patience = 5000;

/** A store file that is open. */
export interface OpenFile {
  readonly database: DatabaseSync;
  /** Closes it, and folds its log in if no other connection is open; a second call does nothing. */
  readonly close: () => void;
  /** Closes it and leaves file and log unchanged, for a disk whose reads cannot be trusted. */
  readonly abandon: () => void;
}

/**
 * Opens the store file at `path` (absolute), and makes it if it is missing.
 * @throws StoreUnusable for a fault that its operator has to mend.
 */
export function openFile(path: string, environment: Environment, now: Instant): OpenFile {
  try {
    expectFilePath(path);
    if (!exists(path)) makeFile(path, environment, now);
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (error instanceof StoreUnusable) throw error;
    throw new StoreUnusable(
      `store ${path} cannot be opened: ${reasonOf(error)}`,
      'check the path, its permissions and the space left on the disk',
      { cause: error },
    );
  }
  try {
    // Before any connection: closing the last connection folds the log in.
    expectPrivate(`${path}-wal`);
    expectPrivate(`${path}-shm`);
    expectLog(path);
    return openSound(path, environment);
  } catch (error) {
    if (error instanceof StoreUnusable) throw error;
    // A full disk has no room for the log either, unless the reserve is given up.
    if (isFull(error) && releaseReserve(path)) return openFile(path, environment, now);
    throw unusable(path, error);
  }
}

function exists(path: string): boolean {
  if (identityOf(path) !== undefined) return true;
  // A new file beside an old log would have that log's pages played into it.
  const log = `${path}-wal`;
  const hasLog = (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0;
  // A server's store was lost: an empty store in its place would reject every partner.
  const hadServer = identityOf(reserveOf(path)) !== undefined;
  if (!hasLog && !hadServer) return false;
  // Unless another process has just made them.
  if (identityOf(path) !== undefined) return true;
  if (hasLog) {
    throw new StoreUnusable(`store ${path} is gone but its log ${log} is there`, restoreHint);
  }
  throw new StoreUnusable(
    `store ${path} is gone, which a server had (${reserveOf(path)} is there)`,
    'put it back, or restore a backup (jetway store restore); to begin with an empty one, remove that file',
  );
}

/**
 * Builds the file under another name and links it into place when it is complete: a crash or a second
 * process never meets half a store, so an empty file is always a damaged one. Where another process was
 * faster, its file is as good.
 */
function makeFile(path: string, environment: Environment, now: Instant): void {
  makeFolder(dirname(path), 0o700);
  const draft = makeDraft(path);
  try {
    writeSchema(draft, environment, now);
    placeNew(draft, path);
  } finally {
    removeDraft(draft);
  }
}

function writeSchema(draft: string, environment: Environment, now: Instant): void {
  const database = new DatabaseSync(pathToFileURL(draft));
  try {
    database.exec(`BEGIN; ${schema}`);
    const meta = metaOf(database);
    meta.put('environment', environment);
    meta.put('created_at', new Date(now).toISOString());
    database.exec(`PRAGMA application_id = ${applicationId}`);
    database.exec(`PRAGMA user_version = ${schemaVersion}`);
    database.exec('COMMIT');
    // Last: until here all is in the one file that gets linked, whatever becomes of the log.
    database.exec('PRAGMA journal_mode = WAL');
  } finally {
    database.close();
  }
}

function expectLog(path: string): void {
  if (isOpenHere(path)) return;
  const found = logDamage(path);
  if (found !== undefined) throw damagedStore(path, found);
}

function openSound(path: string, environment: Environment): OpenFile {
  const before = identityOf(path);
  const database = connect(path);
  try {
    expectOurs(database, path);
    expectEnvironment(database, path, environment);
    expectPrivate(path);
    const found = openingDamage(database, path);
    if (found !== undefined) throw damagedStore(path, found);
    // A restore may have put another file in its place while the connection waited for the lock.
    if (before !== undefined && identityOf(path) === before) return prepare(database, path, before);
  } catch (error) {
    // A refused file stays unchanged.
    closeUnfolded(path, () => database.close());
    throw error;
  }
  database.close();
  return openSound(path, environment);
}

function connect(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  // Never make a file here: the operator has to explain why the file vanished meanwhile.
  url.searchParams.set('mode', 'rw');
  return new DatabaseSync(url, { timeout: patience });
}

function prepare(database: DatabaseSync, path: string, identity: FileIdentity): OpenFile {
  useLog(database, path);
  database.exec(`
    PRAGMA synchronous = FULL;
    PRAGMA cell_size_check = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA busy_timeout = 0;
  `);
  beginLog(database);
  const leave = noteOpen(identity);
  const close = (): void => {
    leave();
    if (database.isOpen) database.close();
  };
  return { database, close, abandon: () => closeUnfolded(path, close) };
}

/**
 * Closes the connection while a read-only connection is open: SQLite then leaves the log, and so does the
 * reader when it closes, since it may not write. After a failed fsync a fold would copy pages from the log
 * by the index in memory, without checking their sums, and remove the log; but a page may read back
 * differently from what was written. The next start checks the sums of the log (FAULTS 5,
 * docs/decisions/020).
 */
export function closeUnfolded(path: string, close: () => void): void {
  let reader: DatabaseSync | undefined;
  try {
    // No log, or an empty one: there is nothing to keep.
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return close();
    reader = new DatabaseSync(path, { readOnly: true, timeout: 0 });
    reader.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch {
    // A failed read keeps its lock. Where the file cannot be opened, no connection folds the log in.
  }
  close();
  reader?.close();
}

/** Begins a new log after a crash, which removes the frames of an interrupted commit. */
function beginLog(database: DatabaseSync): void {
  try {
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  } catch (error) {
    // The old log is continued; writes handle the full disk.
    if (!isFull(error)) throw error;
  }
}

/** Readers never wait for writers with a write-ahead log; the mode stays with the file. */
function useLog(database: DatabaseSync, path: string): void {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
  if (mode === 'wal') return;
  throw new StoreUnusable(
    `store ${path} cannot keep a write-ahead log`,
    'put it on a local file system',
  );
}
