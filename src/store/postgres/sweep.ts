// Owns removing ended rows from PostgreSQL, in small steps and without an index by end.

import type { Instant } from '../../lib/clock.ts';
import type { Keeping } from '../keeping.ts';
import { type Ends, ends, endingAt } from '../sql/ends.ts';
import { isMark } from '../sql/kept_rows.ts';
import { spentRow } from '../sql/login_rows.ts';
import { from, partReader } from '../sql/parts.ts';
import { sumOf, type Value } from '../sql/table.ts';
import { codes, spentCodes } from '../sql/tables.ts';
import { trustedTime } from '../trusted_time.ts';
import { throttle } from './counters.ts';
import type { Link } from './link/link.ts';
import type { Found, Parameter, Statement } from './link/statement.ts';
import { isPast } from './outages.ts';
import { tableRows } from './tables.ts';

/** Runs on the rows that are to go; `found` has their columns of `reads`. */
interface Preparation {
  readonly reads: string;
  readonly run: (found: readonly Found[][], lived: number | null) => Promise<void>;
  /** Whether rows stay once another time is accepted: by that time they may not be over. */
  readonly isOfOneLife?: true;
}

/** @param lived the accepted era by which `now` was read */
type Sweep = (now: Instant, limit: number, lived: number | null) => Promise<number>;

/**
 * A sweep over all tables whose rows have an end. `life` tells the accepted era of this process. Each call reads a
 * bounded number of rows of a table in the order of its key, and continues where the last call stopped.
 */
export function sweepVerb(
  care: Link,
  recorded: Instant | undefined,
  life: () => number | null,
): Keeping['sweep'] {
  const spent = partReader({ row: from(codes, 'code') });
  const spentRows = tableRows(spentCodes);
  const keep: Statement = {
    name: 'keep_spent',
    text: `INSERT INTO spent_code (${spentRows.names.join(', ')})
      SELECT ${spentRows.names.join(', ')} FROM ${spentRows.from('asked')}
      WHERE EXISTS (SELECT FROM login WHERE login.place = asked.place) ON CONFLICT DO NOTHING`,
    isRead: false,
  };
  const noteForgotten: Statement = {
    name: 'note_forgotten',
    text: `UPDATE epoch SET forgotten_since = $1 WHERE forgotten_since < $1
      AND accepted_era IS NOT DISTINCT FROM $2::bigint`,
    isRead: false,
  };
  const forgetOutages: Statement = {
    name: 'forget_outages',
    text: `DELETE FROM outage WHERE ${isPast} RETURNING 1`,
    isRead: false,
  };
  // Of revocations of tokens, and of marks of live tokens (FAULTS 29).
  const noteEnds: Preparation['run'] = async (found, lived) => {
    const last = Math.max(0, ...found.map(([end]) => Number(end)));
    if (last > 0) await care.run(noteForgotten, [last, lived]);
  };
  const before: Readonly<Record<string, Preparation>> = {
    code: {
      reads: spent.columns,
      // What is left of a spent code stays as long as its login.
      run: async (found) => {
        const rows = found.map((row) => spent.read(row as Value[]).row);
        // A damaged row would be sound again as another.
        const whole = rows.filter((row) => sumOf(codes, row) === row.sum && row.spent_for >= 0);
        await care.run(keep, spentRows.values(whole.map(spentRow)));
      },
    },
    revoked_token: { reads: 'revoked_token.expires_at', run: noteEnds, isOfOneLife: true },
    kept_text: {
      reads: `CASE WHEN ${isMark} THEN kept_text.ends_at ELSE 0 END`,
      run: noteEnds,
      isOfOneLife: true,
    },
  };
  const sweeps: readonly Sweep[] = [
    ...[...ends, endingAt(throttle, 'throttle.ends_at')].map((end) =>
      tableSweep(care, end, before[end.table.name]),
    ),
    async (now) => (await care.run(forgetOutages, [now])).length,
  ];
  const horizon = trustedTime(recorded);
  let calls = 0;
  return async (clock, limit) => {
    // Before anything is asked: this process may go by another time before the rows are removed.
    const lived = life();
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

/** Not after any value of a column; which of them, does not matter. */
const firstOf = { text: '', integer: 0, blob: new Uint8Array() } as const;

/**
 * SQL of whether no other time was accepted since that of the parameter `$n`. It waits for one that is
 * being accepted; one that begins later sees what was noted before.
 */
function isLife(n: number): string {
  return `EXISTS (SELECT FROM epoch WHERE accepted_era IS NOT DISTINCT FROM $${n}::bigint FOR SHARE)`;
}

function tableSweep(
  care: Link,
  { table: { name, key, columns }, isOver, upTo, looks }: Ends,
  before?: Preparation,
): Sweep {
  const isEnded = isOver('$1');
  const isOfOneLife = before?.isOfOneLife === true;
  const list = key.map((column) => `${name}.${column}`).join(', ');
  const marks = (first: number): string =>
    key
      .map(
        (column, index) => `$${first + index}${columns[column]?.type === 'blob' ? '::bytea' : ''}`,
      )
      .join(', ');
  const isRange = `($2::boolean OR (${list}) > (${marks(3)}))`;
  const bound: Statement = {
    name: `sweep_bound_${name}`,
    text: `SELECT ${list} FROM ${name} WHERE $1::boolean OR (${list}) > (${marks(2)})
      ORDER BY ${list} LIMIT 1 OFFSET $${key.length + 2}`,
    isRead: true,
  };
  const upToKey = `($${key.length + 3}::boolean OR (${list}) <= (${marks(key.length + 4)}))`;
  const range = `FROM ${name} WHERE ${isRange} AND ${upToKey} AND ${isEnded}
    ORDER BY ${list} LIMIT $${2 * key.length + 4}`;
  const look: Statement = {
    name: `sweep_look_${name}`,
    text: `SELECT ${before?.reads ?? list} ${range}`,
    isRead: true,
  };
  const remove: Statement = {
    name: `sweep_${name}`,
    // Asked of the row itself again: another node may have begun it anew since this statement began.
    text: `DELETE FROM ${name} WHERE (${list}) IN (SELECT ${list} ${range}) AND ${isEnded}
      ${isOfOneLife ? `AND ${isLife(2 * key.length + 5)}` : ''} RETURNING 1`,
    isRead: false,
  };
  const none = key.map((column) => firstOf[columns[column]?.type ?? 'text']);
  let begin: readonly Parameter[] | undefined;
  return async (now, limit, lived) => {
    const start = [begin === undefined, ...(begin ?? none)];
    const [found] = await care.run(bound, [...start, limit * looks - 1]);
    const end = [found === undefined, ...(found ?? none)];
    const params = [upTo(now), ...start, ...end, limit];
    if (before) await before.run((await care.run(look, params)) as Found[][], lived);
    const gone = await care.run(remove, isOfOneLife ? [...params, lived] : params);
    // A call that reached its limit may have left ended rows: the next call reads this range again.
    if (gone.length < limit) begin = found;
    return gone.length;
  };
}
