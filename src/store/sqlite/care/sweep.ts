// Owns forgetting what is past its end in the file store, in small steps and without an index for it.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { type Instant, longGap } from '../../../lib/clock.ts';
import { looksPerRemoval } from '../../judgement.ts';
import type { Eras } from '../eras.ts';

/** A row's place in the order in which its table lies. */
type Place = readonly (string | number)[];

/** The columns of an order, and places before and after every row in it. */
interface Order {
  readonly columns: string;
  readonly start: Place;
  readonly end: Place;
}

/** That of tables without a rowid: the order of bytes that SQLite keeps. */
const byKey: Order = { columns: 'programme, key', start: ['', ''], end: ['\u{10FFFF}', ''] };
/** That of their issue. */
const byRow: Order = { columns: 'rowid', start: [0], end: [Number.MAX_SAFE_INTEGER] };

/** So long whoever reads of it can mend the clock before anything is purged (FAULTS 11). */
const timeToMend = 3_600_000;

/**
 * A sweep over all tables whose rows have an end that removes at most `limit` rows; call it inside a write.
 * `recorded` is the time that the store had recorded when it was opened, if any. Each table is walked in the order in which it lies, on from where the last call stopped, over a bounded
 * number of rows: so no token pays for an index by expiry, and a call costs the same however many
 * rows there are. The place is this process's alone; several processes just walk more often.
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
    // Until this process follows, what others issue at the accepted time may be over by its clock.
    if (eras.acceptedElsewhere() !== undefined) return 0;
    const now = horizon(clock);
    // Each call begins with another table, so that none starves behind a busy one.
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

/** What is done to a stretch of a table before it is swept. */
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
    // A step that hit its limit may have left something behind: the next one looks there again.
    if (removed < limit) from = found ?? start;
    return removed;
  };
}

/** Erases sealed answers past their retry window, so that none outlives its use. */
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
 * Notes which revocations of JWTs are about to be forgotten: a clock that is set back later would have
 * those tokens live again (FAULTS 29).
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
