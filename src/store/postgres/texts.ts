// Owns the texts that PostgreSQL gets of statements which are written once, and their parameters.

import { type Chain, chainOverRows } from '../sql/chain.ts';
import type { Values } from '../sql/db.ts';
import {
  arrayTypes,
  askedRows,
  insertedFrom,
  isInsert,
  joined,
  overAsked,
  overOne,
  overRows,
  type Statement,
} from '../sql/statement.ts';
import { putClock } from './clock.ts';
import { epochColumns } from './epoch.ts';
import { binaryArray } from './link/array.ts';
import type { Parameter, Statement as Sent } from './link/statement.ts';

/** The texts that are sent for a statement, by how many questions there are. */
export interface Texts {
  readonly one: Sent;
  readonly many: Sent;
}

/** @param join LEFT for all rows of a question, CROSS for the first */
export function textsOf(asked: Statement, join: 'CROSS' | 'LEFT' = 'CROSS'): Texts {
  const { isRead } = asked;
  const name = join === 'LEFT' ? `all_${asked.name}` : asked.name;
  return {
    one: { name, text: overOne(asked, epochColumns, join), isRead },
    many: { name: `${name}s`, text: overRows(asked, epochColumns, join), isRead },
  };
}

export function chainText(asked: Chain): Sent {
  return { name: `${asked.name}s`, text: chainOverRows(asked), isRead: false };
}

/** Where the parameters of the statements of an edition begin. */
const editedFrom = 5;
const gated = 'EXISTS (SELECT FROM gate)';

/** What an edition changes beside its rows, where it accepts a time: `$5` is the time, `$6` what was forgotten. */
const acceptance = {
  columns:
    ', accepted_era = era, accepted_time = $5::bigint, forgotten_until = $6::bigint, forgotten_since = 0',
  condition: ' AND forgotten_since = $6::bigint',
  parts: [
    `recorded AS (
      INSERT INTO meta (name, value) SELECT 'recorded_time', $5::bigint::text WHERE ${gated}
      ON CONFLICT (name) DO UPDATE SET value = excluded.value RETURNING 1
    )`,
    `clock AS (${putClock})`,
    `outages AS (DELETE FROM outage WHERE to_at > $5::bigint AND ${gated})`,
  ],
} as const;

/**
 * The text of an edition: everything or nothing, only while no registration and no era has changed since it
 * was judged. Parameters 1 to 4: registrations and era as they were judged, whether the era ends, and a mark
 * by which the edition is recognised.
 */
export function editText(
  name: string,
  statements: readonly Statement[],
  acceptsTime = false,
): Sent {
  const {
    columns,
    condition,
    parts: others,
  } = acceptsTime ? acceptance : { columns: '', condition: '', parts: [] };
  let next = acceptsTime ? editedFrom + 2 : editedFrom;
  const steps = statements.map((asked) => {
    const rows = askedRows(asked, next);
    next += asked.parameters.length;
    const body = overAsked(asked.text);
    return isInsert(asked)
      ? insertedFrom(body, `${rows} WHERE ${gated}`)
      : joined(body, rows, ` ${gated} AND`);
  });
  const parts = [
    `gate AS (
      UPDATE epoch SET registrations = registrations + 1, era = era + ($3::boolean)::int, op = $4${columns}
      WHERE registrations = $1 AND era = $2${condition} RETURNING 1
    )`,
    ...others,
    ...steps.map((step, index) => `step${index} AS (${step})`),
  ];
  const text = `WITH ${parts.join(',\n  ')}\n  SELECT 1 FROM gate`;
  return { name: `${acceptsTime ? 'accept' : 'write'}_${name}`, text, isRead: false };
}

/** Whether the last edition is that of a mark. */
export const confirmEdition: Sent = {
  name: 'confirm_registered',
  // A write: its commit waits for the standbys that the edition may not have reached.
  text: 'UPDATE epoch SET op = op WHERE op = $1 RETURNING 1',
  isRead: false,
};

/** The rows of a statement, as its parameters. */
export function arraysOf(
  { parameters, types }: Pick<Statement, 'parameters' | 'types'>,
  rows: readonly Values[],
): readonly Parameter[] {
  return parameters.map((name, index) =>
    binaryArray(
      arrayTypes[types[index] ?? 'text'],
      rows.map((row) => row[name]),
    ),
  );
}

/**
 * The text that changes rows as long as no other time was accepted since that of the first parameter. It waits for
 * one that is being accepted; one that begins later sees what was noted before.
 */
export function bulkText(asked: Statement): Sent {
  const isOfLife =
    'EXISTS (SELECT FROM epoch WHERE accepted_era IS NOT DISTINCT FROM $1::bigint FOR SHARE)';
  const text = joined(overAsked(asked.text), askedRows(asked, 2), ` ${isOfLife} AND`);
  return { name: asked.name, text: `${text} RETURNING 1`, isRead: false };
}

export const noteOfLife: Sent = {
  name: 'note_forgotten',
  text: `UPDATE epoch SET forgotten_since = $1 WHERE forgotten_since < $1
    AND accepted_era IS NOT DISTINCT FROM $2::bigint`,
  isRead: false,
};

export const findForgotten: Sent = {
  name: 'find_forgotten',
  text: 'SELECT forgotten_since FROM epoch',
  isRead: true,
};

export const noteForgotten: Sent = {
  name: 'forget_revoked',
  text: 'UPDATE epoch SET forgotten_since = $1 WHERE forgotten_since < $1',
  isRead: false,
};
