// Owns forgetting what is past its end in the file store, in small steps and without an index for it.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import type { Instant } from '../lib/clock.ts';
import { looksPerRemoval } from './judgement.ts';

interface Row {
  readonly programme: string;
  readonly key: string;
}

/** Before and after every row, in the order of bytes that SQLite keeps. */
const start: Row = { programme: '', key: '' };
const end: Row = { programme: '\u{10FFFF}', key: '' };

/** A start this long after the recorded time may have a wrong clock. */
const longGap = 36 * 3_600_000;
/** So long whoever reads of it can mend the clock before anything is purged (FAULTS 11). */
const timeToMend = 3_600_000;

/**
 * A sweep over all tables whose rows have an end that removes at most `limit` rows; call it inside a write.
 * `recorded` is the time that the store had recorded when it was opened, if any. Each table is walked in the order of its keys, on from where the last call stopped, over a bounded
 * number of rows: so no token pays for an index by expiry, and a call costs the same however many
 * rows there are. The place is this process's alone; several processes just walk more often.
 */
export function fileSweep(
  database: DatabaseSync,
  recorded: Instant | undefined,
): (now: Instant, limit: number) => number {
  const tables = [
    tableSweep(database, 'code', 'forget_at'),
    tableSweep(database, 'access_token', 'expires_at'),
    tableSweep(database, 'refresh_token', 'expires_at', answerEraser(database)),
    tableSweep(database, 'family', 'ends_at'),
    tableSweep(database, 'revoked_token', 'expires_at'),
    tableSweep(database, 'login_attempt', 'coalesce(locked_until, window_ends_at)'),
  ];
  const horizon = trustedTime(recorded);
  let sweeps = 0;
  return (clock, limit) => {
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

type Eraser = (from: Row, to: Row, now: Instant) => void;

function tableSweep(
  database: DatabaseSync,
  table: string,
  endColumn: string,
  erase?: Eraser,
): (now: Instant, limit: number) => number {
  const bound = database.prepare(
    `SELECT programme, key FROM ${table} WHERE (programme, key) > (?, ?)
     ORDER BY programme, key LIMIT 1 OFFSET ?`,
  );
  const remove: StatementSync = database.prepare(
    `DELETE FROM ${table} WHERE (programme, key) IN (
       SELECT programme, key FROM ${table}
       WHERE (programme, key) > (?, ?) AND (programme, key) <= (?, ?) AND ${endColumn} <= ?
       ORDER BY programme, key LIMIT ?)`,
  );
  let from = start;
  return (now, limit) => {
    if (limit <= 0) return 0;
    const looks = limit * looksPerRemoval;
    const found = bound.get(from.programme, from.key, looks - 1) as Row | undefined;
    const to = found ?? end;
    erase?.(from, to, now);
    const range = [from.programme, from.key, to.programme, to.key] as const;
    const removed = Number(remove.run(...range, now, limit).changes);
    // A step that hit its limit may have left something behind: the next one looks there again.
    if (removed < limit) from = found ?? start;
    return removed;
  };
}

/** Erases sealed answers past their retry window, so that none outlives its use. */
function answerEraser(database: DatabaseSync): Eraser {
  const erase = database.prepare(
    `UPDATE refresh_token SET sealed_answer = NULL, retry_until = NULL
     WHERE (programme, key) > (?, ?) AND (programme, key) <= (?, ?) AND retry_until < ?`,
  );
  return (from, to, now) => {
    erase.run(from.programme, from.key, to.programme, to.key, now);
  };
}
