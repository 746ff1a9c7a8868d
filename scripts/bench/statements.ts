// Owns counting the statements that a process sends to PostgreSQL.

import pg from 'pg';

export interface Statements {
  /** Each is a round to the database and back. */
  readonly rounds: () => number;
  /** Those that write; each is a commit. */
  readonly commits: () => number;
}

type Query = (...call: readonly [{ readonly text: string }, ...unknown[]]) => unknown;

/** Counts from now on. */
export function countStatements(): Statements {
  let [rounds, commits] = [0, 0];
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  prototype.query = function counted(...call) {
    rounds += 1;
    if (/\b(?:INSERT|UPDATE|DELETE)\b/.test(call[0].text)) commits += 1;
    return Reflect.apply(query, this, call);
  };
  return { rounds: () => rounds, commits: () => commits };
}
