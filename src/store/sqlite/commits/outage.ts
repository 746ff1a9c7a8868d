// Owns telling outages of SQLite (it cannot answer) from faults of a verb (its question was wrong).

import { Unavailable } from '../../../oauth/failure.ts';
import { StoreFailed } from '../../unusable.ts';

const BUSY = 5;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const NOTADB = 26;

/** Primary result codes of SQLite that do not depend on the statement (sqlite.org/rescode.html). */
const outageCodes: ReadonlyMap<number, string> = new Map([
  [3, 'PERM'],
  [BUSY, 'BUSY'],
  [6, 'LOCKED'],
  [7, 'NOMEM'],
  [8, 'READONLY'],
  [9, 'INTERRUPT'],
  [IOERR, 'IOERR'],
  [CORRUPT, 'CORRUPT'],
  [FULL, 'FULL'],
  [14, 'CANTOPEN'],
  [15, 'PROTOCOL'],
  [22, 'NOLFS'],
  [NOTADB, 'NOTADB'],
]);

/** The log's index could not grow. The code says I/O error; the cause is a full disk. */
const indexCannotGrow = IOERR | (19 << 8);

/** The primary result code of an error that SQLite raised; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  if (code === indexCannotGrow) return FULL;
  // The low byte is the primary code; the rest tells, for instance, which I/O call failed.
  return code === undefined ? undefined : code & 0xff;
}

function extendedCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}

/** Whether the error means that the store cannot answer, whatever the verb. */
export function isOutage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && outageCodes.has(code);
}

/** Another connection holds the lock: waiting helps. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === BUSY;
}

/** The disk is full: space helps. */
export function isFull(error: unknown): boolean {
  return sqliteCode(error) === FULL;
}

/**
 * The error to hand out: `StoreFailed` or `Unavailable` for an outage (G-22), any other as it is. After
 * a failed fsync in particular, the next one succeeds without having written.
 */
export function asStoreError(error: unknown): unknown {
  const code = sqliteCode(error);
  const name = code === undefined ? undefined : outageCodes.get(code);
  if (name === undefined) return error;
  const isFatal = code === IOERR || code === CORRUPT || code === NOTADB;
  return new (isFatal ? StoreFailed : Unavailable)(`store: SQLITE_${name}`, { cause: error });
}
