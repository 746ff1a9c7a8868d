// Owns moving a store's log into its file in a thread of its own, on a connection of its own: the
// synchronising would hold up every request. The executable carries it as an asset (scripts/build.ts).

import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

import { CheckpointTurn } from './checkpoint_turn.ts';
import { type FileIdentity, identityOf } from './file_identity.ts';

/** What the thread is started with. */
export interface CheckpointWork {
  /** Absolute. */
  readonly path: string;
  /** The file that has to be there. */
  readonly identity: FileIdentity | undefined;
  readonly turn: SharedArrayBuffer;
  /** Pages of the log from which on it has to begin again. */
  readonly longest: number;
}

/** What came of an order: any message is one. */
export type CheckpointReport =
  /** The pages that were in the log by then and have to stay there for now. */
  | { readonly outcome: 'moved'; readonly stuck: number }
  /** As SQLite said. */
  | { readonly outcome: 'failed'; readonly message: string; readonly errcode: number }
  /** Nothing was tried. */
  | { readonly outcome: 'unable' };

/** Pages in the log, and how many of them are in the file. */
interface LogLength {
  readonly log: number;
  readonly checkpointed: number;
}

/** Milliseconds to wait for a commit to end; commits wait as long for this at most. */
const patience = 20;
/** Pages that can be moved while commits wait. */
const few = 200;
/** Tries to get there while they do not. */
const rounds = 4;

const { path, identity, turn: shared, longest } = workerData as CheckpointWork;
const turn = new CheckpointTurn(shared);
let connection: DatabaseSync | undefined;

parentPort?.on('message', () => {
  if (!turn.begin()) return;
  const report = obey();
  turn.end();
  parentPort?.postMessage(report, []);
});

function obey(): CheckpointReport {
  try {
    connection ??= connect();
  } catch {
    // Descriptors may be short. The store has its own and will see what else may be wrong.
    return { outcome: 'unable' };
  }
  try {
    return { outcome: 'moved', stuck: moveLog(connection) };
  } catch (error) {
    const { message, errcode } = error as Error & { readonly errcode: number };
    return { outcome: 'failed', message, errcode };
  }
}

function connect(): DatabaseSync {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  const database = new DatabaseSync(url, { timeout: patience });
  // Not a byte was read so far. Another file of that name would have the log played into it, which
  // is not its own (FAULTS 7).
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
 * Moves the log and returns how many of its pages could not be moved. Commits go on meanwhile, so
 * that under load there is always a rest, and only a log that was moved whole begins again. Once it
 * is long, commits wait while that rest is moved. Not by RESTART, which looks to other connections
 * as if somebody had written (freshness.ts).
 */
function moveLog(database: DatabaseSync): number {
  for (let round = 1; ; round += 1) {
    const { log: there } = lengthOf(database);
    checkpoint(database, 'PASSIVE');
    const { log, checkpointed } = lengthOf(database);
    // A long reader (a backup) keeps pages where they are, and commits must not wait for it.
    if (checkpointed < there && checkpointed < log) return there - checkpointed;
    const rest = log - checkpointed;
    if (rest === 0 || log < longest) return 0;
    if (rest <= few || round === rounds) break;
  }
  checkpoint(database, 'FULL');
  return 0;
}

function checkpoint(database: DatabaseSync, mode: 'PASSIVE' | 'FULL'): void {
  database.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
}

function lengthOf(database: DatabaseSync): LogLength {
  const row = database.prepare('PRAGMA wal_checkpoint(NOOP)').get();
  return { log: Number(row?.['log']), checkpointed: Number(row?.['checkpointed']) };
}
