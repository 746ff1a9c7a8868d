// Owns telling outages of SQLite (it cannot answer now) from faults of a verb (it was asked wrongly).

import { Unavailable } from '../oauth/failure.ts';

/** Primary result codes of SQLite that say nothing about what was asked (sqlite.org/rescode.html). */
const outageCodes: ReadonlyMap<number, string> = new Map([
  [3, 'PERM'],
  [5, 'BUSY'],
  [6, 'LOCKED'],
  [7, 'NOMEM'],
  [8, 'READONLY'],
  [9, 'INTERRUPT'],
  [10, 'IOERR'],
  [11, 'CORRUPT'],
  [13, 'FULL'],
  [14, 'CANTOPEN'],
  [15, 'PROTOCOL'],
  [22, 'NOLFS'],
  [26, 'NOTADB'],
]);

/** The primary result code of an error that SQLite raised; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  // The low byte is the primary code; the rest tells, for instance, which I/O call failed.
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** Whether the error means that the store cannot answer, whatever the verb. */
export function isOutage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && outageCodes.has(code);
}

/** The error to hand out: `Unavailable` for an outage (G-22), any other as it is. */
export function asStoreError(error: unknown): unknown {
  const code = sqliteCode(error);
  const name = code === undefined ? undefined : outageCodes.get(code);
  if (name === undefined) return error;
  return new Unavailable(`store: SQLITE_${name}`, { cause: error });
}
