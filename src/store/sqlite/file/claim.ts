// Owns the exclusive lock on a store file, for changes that must not happen under a running server.

import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

import { StoreUnusable } from '../../unusable.ts';
import { sqliteCode } from '../commits/outage.ts';

/** Milliseconds to wait for the lock: a command releases it by then, a server does not. */
const patience = 1000;

/**
 * A connection with an exclusive lock on the file: no other connection is open or can be opened. Every
 * connection to a file with a write-ahead log holds a shared lock from its first read until it is closed,
 * so the exclusive lock proves that there is none. The system drops the lock when the process ends. The
 * lock is taken before the file is read, so that damage hides no other process.
 * @throws StoreUnusable where another process has the file open; SQLite's own error for a file that
 * cannot be read as a database.
 */
export function claimFile(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  // Locks the file for this process alone at the first use of it (sqlite.org/vfs.html).
  url.searchParams.set('vfs', process.platform === 'win32' ? 'win32' : 'unix-excl');
  const database = new DatabaseSync(url, { timeout: patience });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE; COMMIT');
    return database;
  } catch (error) {
    database.close();
    if (sqliteCode(error) !== 5) throw error;
    throw new StoreUnusable(
      `store ${path} is in use by another process`,
      'stop the server and whatever else has it open',
      { cause: error },
    );
  }
}
