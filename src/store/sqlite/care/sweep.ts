// Owns removing ended rows from the file store, in small steps and without an index by end.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { type Instant, longGap } from '../../../lib/clock.ts';
import { looksPerRemoval } from '../../judgement.ts';
import type { Eras } from '../eras.ts';

/** A row's position in the storage order of its table. */
type Place = readonly (string | number)[];

/** The columns of a storage order, and positions before and after every row. */
interface Order {
  readonly columns: string;
  readonly start: Place;
  readonly end: Place;
}

/** The order of tables without a rowid: SQLite compares bytes. */
const byKey: Order = { columns: 'programme, key', start: ['', ''], end: ['\u{10FFFF}', ''] };
/** The order of issue. */
const byRow: Order = { columns: 'rowid', start: [0], end: [Number.MAX_SAFE_INTEGER] };

/** Milliseconds: an operator can correct the clock before the sweep removes rows (FAULTS 11). */
const timeToMend = 3_600_000;

/**
 * A sweep over all tables whose rows have an end that removes at most `limit` rows; call it inside a write.
 * `recorded` is the time that the store had recorded when it was opened, if any. Each call reads a bounded
 * number of rows of each table in storage order, on from where the last call stopped: no insert pays for
 * an index by expiry, and a call costs the same for any number of rows. Each process has its own position.
 */
export function fileSweep(
  database: DatabaseSync,
  recorded: Instant | undefined,
  eras: Eras,
): (now: Instant, limit: number) => number {
  const tables = [
    tableSweep(database, 'code', 'forget_at', byRow),
    tableSweep(database, 'access_token', 'expires_at'),
    tableSweep(database, 'refresh_token', 'expires_at', byKey, answerPreparation(database)),
    tableSweep(database, 'family', 'ends_at'),
    tableSweep(database, 'revoked_token', 'expires_at', byKey, revocationNoter(database, eras)),
    tableSweep(database, 'login_attempt', 'coalesce(locked_until, window_ends_at)'),
  ];
  const horizon = trustedTime(recorded);
  let sweeps = 0;
  return (clock, limit) => {
    // Before this process follows an accepted time, new rows of other processes may be ended by its clock.
    if (eras.acceptedElsewhere() !== undefined) return 0;
    const now = horizon(clock);
    // Each call begins with the next table: a busy table would else use up the limit every time.
    const first = sweeps++ % tables.length;
    let left = limit;
    for (const sweep of [...tables.slice(first), ...tables.slice(0, first)])
      left -= sweep(now, left);
    return limit - left;
  };
}

/** The time up to which a sweep believes the clock. */
function trustedTime(recorded: Instant | undefined): (now: Instant) => Instant {
  let begun: Instant | undefined;
  return (now) => {
    begun ??= now;
    const isDoubtful = recorded !== undefined && begun - recorded > longGap;
    return isDoubtful && now - begun < timeToMend ? recorded : now;
  };
}

/** Runs on a range of a table before the range is swept. */
type Preparation = (from: Place, to: Place, now: Instant) => void;

function tableSweep(
  database: DatabaseSync,
  table: string,
  endColumn: string,
  { columns, start, end }: Order = byKey,
  before?: Preparation,
): (now: Instant, limit: number) => number {
  const marks = start.map(() => '?').join(', ');
  const bound = database.prepare(
    `SELECT ${columns} FROM ${table} WHERE (${columns}) > (${marks})
     ORDER BY ${columns} LIMIT 1 OFFSET ?`,
  );
  bound.setReturnArrays(true);
  const remove: StatementSync = database.prepare(
    `DELETE FROM ${table} WHERE (${columns}) IN (
       SELECT ${columns} FROM ${table}
       WHERE (${columns}) > (${marks}) AND (${columns}) <= (${marks}) AND ${endColumn} <= ?
       ORDER BY ${columns} LIMIT ?)`,
  );
  let from = start;
  return (now, limit) => {
    if (limit <= 0) return 0;
    const looks = limit * looksPerRemoval;
    const found = bound.get(...from, looks - 1) as unknown as Place | undefined;
    const to = found ?? end;
    before?.(from, to, now);
    const removed = Number(remove.run(...from, ...to, now, limit).changes);
    // A call that reached its limit may have left ended rows: the next call reads this range again.
    if (removed < limit) from = found ?? start;
    return removed;
  };
}

/** Erases kept answers whose retry window has ended. */
function answerPreparation(database: DatabaseSync): Preparation {
  const erase = database.prepare(
    `UPDATE refresh_token SET kept_answer = NULL, retry_until = NULL
     WHERE (programme, key) > (?, ?) AND (programme, key) <= (?, ?) AND retry_until < ?`,
  );
  return (from, to, now) => {
    erase.run(...from, ...to, now);
  };
}

/**
 * Notes the latest end of the revocations of JWTs that the sweep removes: those tokens would be valid
 * again if a clock were set back later (FAULTS 29).
 */
function revocationNoter(database: DatabaseSync, eras: Eras): Preparation {
  const last = database.prepare(
    `SELECT max(expires_at) AS last FROM revoked_token
     WHERE (programme, key) > (?, ?) AND (programme, key) <= (?, ?) AND expires_at <= ?`,
  );
  return (from, to, now) => {
    const found = last.get(...from, ...to, now)?.['last'] as Instant | null | undefined;
    if (found !== null && found !== undefined) eras.forget(found);
  };
}
