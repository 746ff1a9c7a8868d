// Owns several statements about one row that are done together or not at all, written once for every SQL
// backend, and PostgreSQL's text of them.

import {
  askedRows,
  insertedFrom,
  isInsert,
  joined,
  overAsked,
  type Statement,
} from './statement.ts';

/** Each step is done only if the one before it has found or changed something. */
export interface Chain extends Pick<
  Statement,
  'name' | 'parameters' | 'types' | 'row' | 'isUrgent'
> {
  /** A SELECT of the row that the chain is about. */
  readonly guard: Statement;
  readonly steps: readonly Statement[];
}

export function chain(name: string, guard: Statement, ...steps: readonly Statement[]): Chain {
  const all = new Map(
    [guard, ...steps].flatMap(({ parameters, types }) =>
      parameters.map((one, index) => [one, types[index] ?? 'text'] as const),
    ),
  );
  const [parameters, types] = [[...all.keys()], [...all.values()]];
  const { row, isUrgent } = guard;
  return { name, guard, steps, row, isUrgent, parameters, types };
}

/**
 * PostgreSQL's one statement of a chain over many rows: the number of each question, and how many of its
 * parts were done. The guard's row is locked first.
 */
export function chainOverRows(asked: Chain): string {
  const { guard, steps } = asked;
  const parts = [
    `asked AS MATERIALIZED (SELECT * FROM ${askedRows(asked)})`,
    `done0 AS (SELECT asked.n FROM asked
      CROSS JOIN LATERAL (${overAsked(guard.text)} FOR UPDATE) AS held ORDER BY asked.n)`,
  ];
  for (const [index, step] of steps.entries()) {
    const from = `asked JOIN done${index} USING (n)`;
    const done = `done${index + 1}`;
    const body = overAsked(step.text);
    if (isInsert(step)) {
      const made = `made${index + 1}`;
      const isOwn = step.row.map((one) => `${made}.${one} = asked._${one}`).join(' AND ');
      parts.push(
        `${made} AS (${insertedFrom(body, from)} RETURNING ${step.row.join(', ')})`,
        `${done} AS (SELECT n FROM asked JOIN ${made} ON ${isOwn})`,
      );
    } else parts.push(`${done} AS (${joined(body, from)} RETURNING asked.n)`);
  }
  const counts = [guard, ...steps].map((_, index) => `SELECT n, ${index + 1} FROM done${index}`);
  return `WITH ${parts.join(',\n  ')}\n  ${counts.join(' UNION ALL ')}`;
}
