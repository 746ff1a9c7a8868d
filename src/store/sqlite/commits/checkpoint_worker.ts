// Owns the checkpoint thread: it moves a store's log into its file on a connection of its own, since
// the fsyncs would hold up every request. The executable carries it as an asset (scripts/build.ts).

import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

import { type FileIdentity, identityOf } from '../file/identity.ts';
import { CheckpointTurn } from './checkpoint_turn.ts';

/** What the thread is started with. */
export interface CheckpointWork {
  /** Absolute. */
  readonly path: string;
  /** The file that the store has open. */
  readonly identity: FileIdentity | undefined;
  readonly turn: SharedArrayBuffer;
}

/** The outcome of an order; any message is an order. */
export type CheckpointReport =
  /** `stuck`: pages that were in the log and have to stay there for now. */
  | { readonly outcome: 'moved'; readonly stuck: number }
  /** `CheckpointTurn.takeFailure` gives the code as well. */
  | { readonly outcome: 'failed'; readonly errcode: number }
  /** Nothing was tried. */
  | { readonly outcome: 'unable' };

/** Pages in the log, and how many of them are in the file. */
interface LogLength {
  readonly log: number;
  readonly checkpointed: number;
}

const { path, identity, turn: shared } = workerData as CheckpointWork;
const turn = new CheckpointTurn(shared);
let connection: DatabaseSync | undefined;

parentPort?.on('message', () => {
  if (!turn.begin()) return;
  const report = obey();
  turn.end(report.outcome === 'failed' ? report.errcode : undefined);
  parentPort?.postMessage(report, []);
});

function obey(): CheckpointReport {
  try {
    connection ??= connect();
  } catch {
    // File descriptors may be short. The store has its own connection and notices other faults.
    return { outcome: 'unable' };
  }
  try {
    return { outcome: 'moved', stuck: moveLog(connection) };
  } catch (error) {
    const { errcode } = error as Error & { readonly errcode: number };
    return { outcome: 'failed', errcode };
  }
}

function connect(): DatabaseSync {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  const database = new DatabaseSync(url, { timeout: 0 });
  // Before the first read: SQLite would play the log into another file of that name (FAULTS 7).
  if (identityOf(path) !== identity) {
    database.close();
    throw new Error(`${path} was removed or replaced`);
  }
  database.exec(`
    PRAGMA synchronous = FULL;
    PRAGMA cell_size_check = ON;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA cache_size = 16;
  `);
  return database;
}

/**
 * Moves the log and returns how many of its pages had to stay, because a long reader (a backup) needs
 * them. Pages that commits add meanwhile do not count.
 */
function moveLog(database: DatabaseSync): number {
  const before = lengthOf(database);
  database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
  const after = lengthOf(database);
  // A shorter log has begun again, which it does only after all of it was moved.
  return after.log < before.log ? 0 : Math.max(0, before.log - after.checkpointed);
}

function lengthOf(database: DatabaseSync): LogLength {
  const row = database.prepare('PRAGMA wal_checkpoint(NOOP)').get();
  return { log: Number(row?.['log']), checkpointed: Number(row?.['checkpointed']) };
}
