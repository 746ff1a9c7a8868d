// Owns removing ended rows, in small steps and without an index by end: no insert pays for one, and a step
// costs the same for any number of rows.

import { type Instant, longGap, milliseconds } from '../../lib/clock.ts';
import type { Era, Place } from '../../oauth/grant.ts';
import type { Keeping } from '../keeping.ts';
import type { Db, Removal, Values } from '../sql/db.ts';
import { type Ends, ends } from '../sql/ends.ts';
import { isMark } from '../sql/kept_rows.ts';
import { type Statement, statement } from '../sql/statement.ts';
import type { Value } from '../sql/table.ts';

/** What is done beside the removal of rows. */
interface Beside {
  /** SQL of what is read of them. */
  readonly reads: string;
  readonly noted: (rows: readonly (readonly Value[])[]) => Omit<Removal, 'lived'>;
}

const nothing: Beside = { reads: '1', noted: () => ({}) };

/**
 * The latest end of revocations of tokens, or of marks of live tokens: the tokens that these have ended would
 * be valid again if a clock were set back later (FAULTS 29).
 */
function noteEnds(reads: string): Beside {
  return {
    reads,
    noted: (rows) => ({ forgotten: Math.max(0, ...rows.map(([end]) => Number(end))) as Instant }),
  };
}

export interface SweepParts {
  /** The time that the store had recorded when it was opened, if any. */
  readonly recorded: Instant | undefined;
  /** The era of the accepted time that this process goes by. */
  readonly life: () => Era | undefined;
  /** The row of that place was removed. */
  readonly forgetLogin: (place: Place) => void;
  /** The ended rows of tables that the backend alone has. */
  readonly more?: readonly Ends[];
}

/**
 * A sweep over all tables whose rows have an end. Each call reads a bounded number of rows of each table, on
 * from where the last call stopped. Each process has its own position.
 */
export function sweepVerb(db: Db, parts: SweepParts): Keeping['sweep'] {
  const { recorded, life, forgetLogin, more = [] } = parts;
  const beside: Readonly<Record<string, Beside>> = {
    login: {
      reads: 'login.place',
      noted: (rows) => {
        for (const [place] of rows) forgetLogin(place as Place);
        return {};
      },
    },
    revoked_token: noteEnds('revoked_token.expires_at'),
    kept_text: noteEnds(`CASE WHEN ${isMark} THEN kept_text.ends_at ELSE 0 END`),
  };
  const sweeps = [...ends, ...more].map((end) => tableSweep(db, end, beside[end.table.name]));
  const horizon = trustedTime(recorded);
  let calls = 0;
  return async (clock, limit) => {
    // Before anything is asked: this process may go by another time before the rows are removed.
    const lived = life();
    // Before this process follows an accepted time, new rows of other processes may be ended by its clock.
    if ((await db.life()).accepted?.era !== lived) return 0;
    const now = horizon(clock);
    // Each call begins with the next table: a busy table would else use up the limit every time.
    const first = calls++ % sweeps.length;
    let left = limit;
    for (const sweep of [...sweeps.slice(first), ...sweeps.slice(0, first)]) {
      if (left > 0) left -= await sweep(now, left, lived);
    }
    return limit - left;
  };
}

/** An operator can correct the clock before the sweep removes rows (FAULTS 11). */
const timeToMend = milliseconds(3_600_000);

/** Up to when a sweep believes the clock; `recorded` is what the store had recorded when it was opened, if anything. */
function trustedTime(recorded: Instant | undefined): (now: Instant) => Instant {
  let begun: Instant | undefined;
  return (now) => {
    // A clock that was set back since begins anew: its hour would else last as long as it was ahead.
    if (begun === undefined || now < begun) begun = now;
    const isDoubtful = recorded !== undefined && begun - recorded > longGap;
    return isDoubtful && now - begun < timeToMend ? recorded : now;
  };
}

/** A row's position in the order in which its table is walked through. */
type Position = readonly Value[];

/** Not after, and not before, any value of a key. */
const outermost = {
  text: ['', '\u{10FFFF}'],
  integer: [-1, Number.MAX_SAFE_INTEGER],
  blob: [new Uint8Array(), new Uint8Array(17).fill(0xff)],
} as const;

function tableSweep(
  db: Db,
  { table, isOver, upTo, type, looks }: Ends,
  { reads, noted }: Beside = nothing,
): (now: Instant, limit: number, lived: Era | undefined) => Promise<number> {
  const { name } = table;
  const order = db.orderOf(table);
  const columns = Object.keys(order);
  const listed = columns.map((column) => `${name}.${column}`);
  const list = listed.join(', ');
  const marks = (mark: string): string => columns.map((one) => `:${mark}_${one}`).join(', ');
  const named = (mark: string, position: Position): Values =>
    Object.fromEntries(columns.map((one, index) => [`${mark}_${one}`, position[index] ?? null]));
  const types = {
    ...Object.fromEntries(
      Object.entries(order).flatMap(([one, column]) =>
        ['from', 'to', 'row'].map((mark) => [`${mark}_${one}`, column.type] as const),
      ),
    ),
    at: type,
    most: 'integer',
  } as const;
  const asked = (verb: string, text: string): Statement =>
    statement(`${verb}_${name}`, {}, text, { types, isUrgent: true });
  const bound = db.bulkReader(
    asked(
      'sweep_bound',
      `SELECT ${list} FROM ${name} WHERE (${list}) > (${marks('from')})
        ORDER BY ${list} LIMIT 1 OFFSET :most`,
    ),
    ([row]) => row,
  );
  const look = db.bulkReader(
    asked(
      'sweep_look',
      `SELECT ${list}, ${reads} FROM ${name}
        WHERE (${list}) > (${marks('from')}) AND (${list}) <= (${marks('to')}) AND ${isOver}
        ORDER BY ${list} LIMIT :most`,
    ),
    (rows) => rows,
  );
  const isRow = columns.map((one) => `${name}.${one} = :row_${one}`).join(' AND ');
  const remove = db.bulkWriter(
    // Asked of the row itself again: another process may have begun it anew since it was read.
    asked('sweep', `DELETE FROM ${name} WHERE ${isRow} AND ${isOver}`),
  );
  const edge = (index: 0 | 1): Position =>
    Object.values(order).map((column) => outermost[column.type][index]);
  const [start, end] = [edge(0), edge(1)];
  let begin = start;
  return async (now, limit, lived) => {
    const after = named('from', begin);
    const [found] = await bound([{ ...after, most: limit * looks - 1 }]);
    const at = upTo(now);
    const range = { ...after, ...named('to', found ?? end), at, most: limit };
    const [rows = []] = await look([range]);
    // A call that reached its limit may have left ended rows: the next call reads this range again.
    if (rows.length < limit) begin = found ?? start;
    if (rows.length === 0) return 0;
    const beside = noted(rows.map((row) => row.slice(columns.length)));
    const gone = rows.map((row) => ({ ...named('row', row), at }));
    return remove(gone, { ...beside, lived });
  };
}
