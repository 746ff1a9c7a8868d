// Owns removing ended rows from the file store, in small steps and without an index by end.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import type { Instant } from '../../../lib/clock.ts';
import type { Place } from '../../../oauth/grant.ts';
import { type Ends, ends } from '../../sql/ends.ts';
import { isMark } from '../../sql/kept_rows.ts';
import { spentRow } from '../../sql/login_rows.ts';
import { from } from '../../sql/parts.ts';
import { sumOf, type Table, type Value } from '../../sql/table.ts';
import { codes, keptTexts, revokedTokens, spentCodes } from '../../sql/tables.ts';
import { trustedTime } from '../../trusted_time.ts';
import type { Eras } from '../eras.ts';
import { inserter, lister } from '../tables.ts';

/** A row's position in the storage order of its table. */
type Position = readonly Value[];

/** The columns of a storage order, and positions before and after every row. */
interface Order {
  readonly columns: string;
  readonly start: Position;
  readonly end: Position;
}

/** The order of a table: that of issue, or that of its key, where SQLite compares bytes. */
function orderOf({ order, key, columns }: Table): Order {
  if (order === 'as inserted') {
    return { columns: 'rowid', start: [0], end: [Number.MAX_SAFE_INTEGER] };
  }
  const types = key.map((column) => columns[column]?.type ?? 'text');
  return {
    columns: key.join(', '),
    start: types.map((type) => outermost[type][0]),
    end: types.map((type) => outermost[type][1]),
  };
}

/** Not after, and not before, any value of a key. */
const outermost = {
  text: ['', '\u{10FFFF}'],
  integer: [0, Number.MAX_SAFE_INTEGER],
  blob: [new Uint8Array(), new Uint8Array(17).fill(0xff)],
} as const;

/**
 * A sweep over all tables whose rows have an end that removes at most `limit` rows; call it inside a write.
 * `recorded` is the time that the store had recorded when it was opened, if any; `forgetLogin` is told of
 * each login that is removed. Each call reads a bounded number of rows of each table in storage order, on
 * from where the last call stopped: no insert pays for an index by expiry, and a call costs the same for
 * any number of rows. Each process has its own position.
 */
export function fileSweep(
  database: DatabaseSync,
  recorded: Instant | undefined,
  eras: Eras,
  forgetLogin: (place: Place) => void,
): (now: Instant, limit: number) => number {
  const beside: Readonly<Record<string, Beside>> = {
    code: { before: codeMover(database) },
    login: { removed: ([place]) => forgetLogin(place as Place) },
    revoked_token: { before: endNoter(database, eras, revokedTokens, 'expires_at') },
    kept_text: { before: endNoter(database, eras, keptTexts, 'ends_at', isMark) },
  };
  const tables = ends.map((end) => tableSweep(database, end, beside[end.table.name]));
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

/** Runs on a range of a table before at most `limit` rows of it are swept. */
type Preparation = (from: Position, to: Position, now: Instant, limit: number) => void;

/** What is done beside the removal of rows. */
interface Beside {
  readonly before?: Preparation;
  /** Told of each row that was removed. */
  readonly removed?: (position: Position) => void;
}

function tableSweep(
  database: DatabaseSync,
  { table: described, isOver, upTo, looks }: Ends,
  { before, removed: tell }: Beside = {},
): (now: Instant, limit: number) => number {
  const { name: table } = described;
  const { columns, start, end } = orderOf(described);
  const marks = start.map(() => '?').join(', ');
  const bound = database.prepare(
    `SELECT ${columns} FROM ${table} WHERE (${columns}) > (${marks})
     ORDER BY ${columns} LIMIT 1 OFFSET ?`,
  );
  bound.setReturnArrays(true);
  const remove: StatementSync = database.prepare(
    `DELETE FROM ${table} WHERE (${columns}) IN (
       SELECT ${columns} FROM ${table}
       WHERE (${columns}) > (${marks}) AND (${columns}) <= (${marks}) AND ${isOver('?')}
       ORDER BY ${columns} LIMIT ?)
     RETURNING ${columns}`,
  );
  remove.setReturnArrays(true);
  let begin = start;
  return (now, limit) => {
    if (limit <= 0) return 0;
    const found = bound.get(...begin, limit * looks - 1) as unknown as Position | undefined;
    const to = found ?? end;
    before?.(begin, to, now, limit);
    const params = [...begin, ...to, upTo(now), limit];
    const gone = remove.all(...params) as unknown as readonly Position[];
    if (tell) gone.forEach(tell);
    // A call that reached its limit may have left ended rows: the next call reads this range again.
    if (gone.length < limit) begin = found ?? start;
    return gone.length;
  };
}

/** Keeps what is left of spent codes, while their login is known. */
function codeMover(database: DatabaseSync): Preparation {
  const spent = lister(
    database,
    { row: from(codes, 'code') },
    `FROM code JOIN login ON login.place = code.spent_for
     WHERE code.rowid > ? AND code.rowid <= ? AND code.forget_at <= ?
     ORDER BY code.rowid LIMIT ?`,
  );
  const insert = inserter(database, spentCodes, 'ON CONFLICT DO NOTHING');
  return (start, to, now, limit) => {
    for (const { row } of spent(...start, ...to, now, limit)) {
      // A damaged row would be sound again as another.
      if (sumOf(codes, row) === row.sum) insert(spentRow(row));
    }
  };
}

/**
 * Notes the latest end of the revocations of tokens, or of marks of live tokens, that the sweep removes: the
 * tokens that these have ended would be valid again if a clock were set back later (FAULTS 29).
 */
function endNoter(
  database: DatabaseSync,
  eras: Eras,
  table: Table,
  end: string,
  which = 'TRUE',
): Preparation {
  const { columns, start: marks } = orderOf(table);
  const mark = marks.map(() => '?').join(', ');
  const last = database.prepare(
    `SELECT max(${end}) AS last FROM ${table.name}
     WHERE (${columns}) > (${mark}) AND (${columns}) <= (${mark}) AND ${end} <= ? AND ${which}`,
  );
  return (start, to, now) => {
    const found = last.get(...start, ...to, now)?.['last'] as Instant | null | undefined;
    if (found !== null && found !== undefined) eras.forget(found);
  };
}
