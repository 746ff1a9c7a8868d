// Owns opening a store file that is ours and sound, and closing it.

import { accessSync, constants, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

import type { Instant } from '../../../lib/clock.ts';
import type { Environment } from '../../contract.ts';
import { damagedStore, StoreUnusable, restoreHint } from '../../unusable.ts';
import { openingDamage } from '../care/check.ts';
import { releaseReserve, reserveOf } from '../commits/disk_space.ts';
import { isFull } from '../commits/outage.ts';
import { schemaVersion } from '../schema.ts';
import { type FileIdentity, identityOf, isOpenHere, noteOpen } from './identity.ts';
import { logDamage } from './log.ts';
import { makeFile } from './make.ts';
import { migrateFile } from './migrate.ts';
import {
  expectEnvironment,
  expectNoDirectory,
  expectOurs,
  expectPrivate,
  reasonOf,
  textOf,
  unusable,
} from './refusals.ts';

/** Milliseconds to wait for another process's lock while opening; later nothing waits in SQLite. */
const patience = 5000;

/** A store file that is open. */
export interface OpenFile {
  readonly database: DatabaseSync;
  /** Closes it, and folds its log in where nobody else has it open; closing twice is none. */
  readonly close: () => void;
  /** Closes it, file and log left as they are: for when what the disk says cannot be believed. */
  readonly abandon: () => void;
}

/**
 * Opens the store file at `path` (absolute), which is made if it is missing and brought up to this
 * schema if it is older.
 * @throws StoreUnusable for whatever its operator has to look at.
 */
export function openFile(path: string, environment: Environment, now: Instant): OpenFile {
  try {
    expectNoDirectory(path);
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
    // Before anything connects: whoever closes the file last folds its log in.
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
  // A server's store that is gone was lost: an empty one in its place would turn every partner away.
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

function expectLog(path: string): void {
  if (isOpenHere(path)) return;
  const found = logDamage(path);
  if (found !== undefined) throw damagedStore(path, found);
}

function openSound(path: string, environment: Environment): OpenFile {
  const before = identityOf(path);
  const database = connect(path);
  try {
    const version = expectOurs(database, path);
    expectEnvironment(database, path, environment);
    expectPrivate(path);
    const found = version === schemaVersion ? openingDamage(database, path) : undefined;
    if (found !== undefined) throw damagedStore(path, found);
    // A restore may have put another file in its place while the connection waited for the lock.
    const isSame = before !== undefined && identityOf(path) === before;
    if (isSame && version === schemaVersion) return prepare(database, path, before);
  } catch (error) {
    // What is refused is left as it is.
    closeUnfolded(path, () => database.close());
    throw error;
  }
  database.close();
  if (before !== undefined && identityOf(path) === before) migrateFile(path);
  return openSound(path, environment);
}

function connect(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  // Never make one: what vanished since it was seen is the operator's to explain.
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
 * Closes the last connection but one of this process: SQLite then leaves the log, and so does the
 * reader when it is closed in turn, as it may not write. After a failed synchronisation a fold would
 * copy what it reads from the log by an index in memory, without looking at sums, and remove the log;
 * but what is read may not be what was written. Another start goes by the sums of the log, and tells
 * what is left (FAULTS 5, docs/decisions/020).
 */
export function closeUnfolded(path: string, close: () => void): void {
  let reader: DatabaseSync | undefined;
  try {
    // Nothing to fold: then nothing need stay beside the file either.
    if (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size === 0) return close();
    reader = new DatabaseSync(path, { readOnly: true, timeout: 0 });
    reader.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch {
    // It keeps its lock whatever it has read. A file that cannot even be opened is folded into by nobody.
  }
  close();
  reader?.close();
}

/** Whoever comes first after a crash begins a new log: what a cut-off commit left at its end is gone. */
function beginLog(database: DatabaseSync): void {
  try {
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  } catch (error) {
    // The log goes on where it is; a full disk is seen to by whoever writes.
    if (!isFull(error)) throw error;
  }
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
