// Owns statements in SQLite: one row each, prepared once, in the commits of the queue.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import type { Db, Found, Reader, Remembering, Values } from '../sql/db.ts';
import { type Statement, withParameters } from '../sql/statement.ts';
import type { Value } from '../sql/table.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { type Freshness, Remembered } from './commits/freshness.ts';
import type { Eras } from './eras.ts';

interface Prepared {
  readonly get: (values: Values) => readonly Value[] | undefined;
  /** Whether a row was changed. */
  readonly run: (values: Values) => boolean;
}

function prepare(database: DatabaseSync, { text, parameters }: Statement): Prepared {
  // By number: a named parameter is looked up by its name at each run.
  const numbered = withParameters(text, (name) => `?${parameters.indexOf(name) + 1}`);
  const made: StatementSync = database.prepare(numbered);
  made.setReturnArrays(true);
  const list = (values: Values): Value[] => parameters.map((name) => values[name] ?? null);
  return {
    get: (values) => made.get(...list(values)) as unknown as readonly Value[] | undefined,
    run: (values) => made.run(...list(values)).changes !== 0,
  };
}

export function sqliteDb(
  database: DatabaseSync,
  queue: CommitQueue,
  fresh: Freshness,
  eras: Eras,
): Db {
  return {
    reader: <Row>(
      asked: Statement,
      parse: (columns: readonly Value[]) => Row,
      remembering?: Remembering,
    ): Reader<Row> => {
      const { get } = prepare(database, asked);
      const held = remembering && new Remembered<Row, string | number>(fresh, remembering.most);
      const read = (values: Values): Row | undefined => {
        const columns = get(values);
        return columns && parse(columns);
      };
      const find = (values: Values): Found<Row> | undefined => {
        const name = remembering?.nameOf(values) ?? '';
        const row = held === undefined ? read(values) : held.get(name, () => read(values));
        return row === undefined ? undefined : { row, life: eras.life() };
      };
      return {
        find: (values) => queue.read(() => find(values)),
        replace: (...change) => held?.replace(...change),
        forget: (name) => void held?.take(name),
      };
    },
    writer: (asked) => {
      const { run } = prepare(database, asked);
      const write = <T>(verb: () => T) =>
        asked.isUrgent ? queue.writeFromReserve(verb) : queue.write(verb);
      return (values, { settled } = {}) =>
        write(() => {
          const isChanged = run(typeof values === 'function' ? values(eras.current()) : values);
          if (isChanged) settled?.();
          return isChanged;
        });
    },
    chainWriter: ({ name, guard, steps }) => {
      const first = prepare(database, guard);
      const others = steps.map((step) => prepare(database, step));
      return (values) =>
        queue.writeFromReserve(() => {
          let done = first.get(values) === undefined ? 0 : 1;
          for (const { run } of done === 0 ? [] : others) {
            if (!run(values)) break;
            done += 1;
          }
          // Nothing is left of it: the transaction is rolled back.
          if (done > 1 && done <= others.length) throw new Error(`store: ${name} ended half-way`);
          return { done, wasUnknown: false };
        });
    },
  };
}
