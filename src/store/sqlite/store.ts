// Owns the file store: the whole contract on one SQLite file that several processes may share; and the
// memory store, which is the same on a database without a file.

import { DatabaseSync } from 'node:sqlite';

import { instant, type Instant } from '../../lib/clock.ts';
import { Unavailable } from '../../oauth/failure.ts';
import type { Environment, Store } from '../contract.ts';
import type { StoreHealth } from '../keeping.ts';
import { leaseVerbs, type LeaseVerbs } from '../verbs/leases.ts';
import { sharedVerbs } from '../verbs/verbs.ts';
import { countInProcess } from '../windows.ts';
import { CommitQueue } from './commits/commit_queue.ts';
import { DiskSpace } from './commits/disk_space.ts';
import { Freshness } from './commits/freshness.ts';
import { LogCheckpoints } from './commits/log_checkpoints.ts';
import { isFull } from './commits/outage.ts';
import { Transactions } from './commits/transactions.ts';
import { sqliteDb } from './driver.ts';
import { fileEras } from './eras.ts';
import { nameWatch, realPath } from './file/identity.ts';
import { openFile, type OpenFile } from './file/open.ts';
import { unusable } from './file/refusals.ts';
import { schema } from './schema.ts';
import { type FileTime, fileRecordedTime, timeOf } from './time.ts';

/** A log of the usual length fits in twice. */
export const serverReserve: number = 16 * 1024 * 1024;

export interface FileStoreOptions {
  /** Of the SQLite file; made, with its directory, if it is missing. */
  readonly path: string;
  /** The file belongs to one environment and opens in no other (C-3). */
  readonly environment: Environment;
  /** Recorded as the time of making when the file is made; the wall clock if left out. */
  readonly now?: Instant;
  /**
   * Bytes to keep beside the file for the time when the disk is full (FAULTS 4), a server's
   * business: see `serverReserve`. None if left out. With a reserve a thread moves the log.
   */
  readonly reserve?: number;
  /**
   * Told, once, why this store can no longer be used: the disk failed, or the file was damaged or
   * taken away (FAULTS 5 to 7). Every verb rejects by then; the process has to end, and another
   * start shows what is left.
   */
  readonly onFatal?: (reason: Unavailable) => void;
}

export interface FileStore extends Store {
  /** How many transactions this store has committed. */
  readonly commits: () => number;
}

/**
 * Opens the store file, or makes it. What is remembered of rows between requests stands only
 * until another process commits, so that its changes count from then on.
 * @throws StoreUnusable for another environment, a newer schema, a damaged or foreign file.
 */
export function openFileStore(options: FileStoreOptions): FileStore {
  const path = realPath(options.path);
  const file = openFile(path, options.environment, options.now ?? instant(Date.now()));
  try {
    return serveFrom(file, path, options);
  } catch (error) {
    file.abandon();
    throw unusable(path, error);
  }
}

/** A store that forgets everything with the process, for tests and `jetway dev`. */
export function openMemoryStore(): Store {
  const database = new DatabaseSync(':memory:');
  database.exec(schema);
  const parts = partsOf(database);
  const queue = new CommitQueue(parts.transactions);
  const { fallSilent, ...verbs } = verbsOf(parts, queue);
  return {
    ...verbs,
    health: () => ({ status: 'ready' }),
    async close() {
      void fallSilent();
      queue.close();
      if (database.isOpen) database.close();
    },
  };
}

function serveFrom(file: OpenFile, path: string, options: FileStoreOptions): FileStore {
  const parts = partsOf(file.database);
  const { transactions } = parts;
  const reserve = options.reserve ?? 0;
  const log = new LogCheckpoints(file.database, transactions, {
    path,
    reserve,
    failed: (error) => {
      if (!isFull(error)) queue.judge(error);
    },
  });
  const space = new DiskSpace(path, reserve, () => log.fold());
  const queue = new CommitQueue(transactions, {
    space,
    afterCommit: () => log.afterCommit(),
    onFatal: (reason) => {
      log.stop();
      options.onFatal?.(reason);
    },
  });
  const { fallSilent, ...verbs } = verbsOf(parts, queue);
  return {
    ...verbs,
    commits: () => transactions.commits,
    health: healthCheck(path, queue, space),
    async close() {
      // What a checkpoint under way comes to is heard before anything is committed (FAULTS 5).
      log.pause();
      void fallSilent();
      queue.close();
      const ended = log.end();
      if (ended !== undefined) await ended;
      log.finish();
      if (queue.mayWrite) file.close();
      else file.abandon();
    },
  };
}

/** A database that is open, with what follows its transactions. */
interface Parts {
  readonly database: DatabaseSync;
  readonly time: FileTime;
  readonly fresh: Freshness;
  readonly transactions: Transactions;
}

function partsOf(database: DatabaseSync): Parts {
  const time = fileRecordedTime(database);
  const fresh = new Freshness(database);
  return { database, time, fresh, transactions: new Transactions(database, [fresh, time]) };
}

type Verbs = Omit<Store, 'health' | 'close'> & LeaseVerbs;

function verbsOf(parts: Parts, queue: CommitQueue): Verbs {
  const { database, time, fresh, transactions } = parts;
  const eras = fileEras(database, fresh);
  const db = sqliteDb({ database, queue, transactions, fresh, eras });
  const shared = {
    time: timeOf(time, queue),
    recorded: time.recorded(),
    followed: eras.life().accepted?.era,
  };
  return {
    ...sharedVerbs(db, shared),
    count: countInProcess(),
    ...leaseVerbs(db),
  };
}

function healthCheck(path: string, queue: CommitQueue, space: DiskSpace): () => StoreHealth {
  const watch = nameWatch(path);
  return () => {
    const moved = queue.ended === undefined ? watch() : undefined;
    if (moved !== undefined) queue.end(new Unavailable(`store: ${moved} while it was open`));
    // To look for room may show that the disk fails.
    const hasRoom = queue.ended === undefined && space.hasRoom();
    if (queue.ended) return { status: 'unusable', detail: queue.ended.message };
    if (hasRoom) return { status: 'ready' };
    return { status: 'full', detail: `the disk of ${path} is full` };
  };
}
