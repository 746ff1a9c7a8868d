// Owns statements in SQLite: one row each, prepared once, in the commits of the queue.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { Db, Reader, Remembering, Values } from '../sql/db.ts';
import { type Statement, withParameters } from '../sql/statement.ts';
import { integer, type Value } from '../sql/table.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { type Freshness, Remembered } from './commits/freshness.ts';
import { prepareToRun, type Transactions } from './commits/transactions.ts';
import type { Eras } from './eras.ts';

export interface Prepared {
  readonly get: (values: Values) => readonly Value[] | undefined;
  readonly all: (values: Values) => readonly (readonly Value[])[];
  /** Whether a row was changed. */
  readonly run: (values: Values) => boolean;
}

export function prepare(database: DatabaseSync, { text, parameters, isRead }: Statement): Prepared {
  // By number: a named parameter is looked up by its name at each run.
  const numbered = withParameters(text, (name) => `?${parameters.indexOf(name) + 1}`);
  const made = isRead ? database.prepare(numbered) : prepareToRun(database, numbered);
  made.setReturnArrays(true);
  const list = (values: Values): Value[] => parameters.map((name) => values[name] ?? null);
  const all = (values: Values) =>
    readable(made, () => made.all(...list(values)) as unknown as (readonly Value[])[]);
  return {
    get: (values) => {
      try {
        return made.get(...list(values)) as unknown as readonly Value[] | undefined;
      } catch (error) {
        if (!isTooLarge(error)) throw error;
        return all(values)[0];
      }
    },
    all,
    run: (values) => made.run(...list(values)).changes > 0,
  };
}

/**
 * What is read; numbers that JavaScript cannot hold are rounded. Jetway writes none: their row is damaged, and
 * does not fit its sum (FAULTS 36).
 */
function readable(
  from: StatementSync,
  read: () => readonly (readonly Value[])[],
): readonly (readonly Value[])[] {
  try {
    return read();
  } catch (error) {
    if (!isTooLarge(error)) throw error;
  }
  from.setReadBigInts(true);
  try {
    const rows = read() as readonly (readonly (Value | bigint)[])[];
    return rows.map((row) => row.map((one) => (typeof one === 'bigint' ? Number(one) : one)));
  } finally {
    from.setReadBigInts(false);
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
}

export interface DriverParts {
  readonly database: DatabaseSync;
  readonly queue: CommitQueue;
  readonly transactions: Pick<Transactions, 'follow'>;
  readonly fresh: Freshness;
  readonly eras: Eras;
}

export function sqliteDb({ database, queue, transactions, fresh, eras }: DriverParts): Db {
  const write = <T>(isUrgent: boolean, verb: () => T): Promise<T> =>
    isUrgent ? queue.writeFromReserve(verb) : queue.write(verb);
  const readerOf = <Row>(
    read: (values: Values) => Row | undefined,
    remembering?: Remembering<Row>,
  ): Reader<Row> => {
    const held = remembering && new Remembered<Row, string | number>(fresh, remembering.most);
    const look = (values: Values): Row | undefined => {
      if (held === undefined || remembering === undefined) return read(values);
      return held.get(remembering.nameOf(values), read, values, remembering.isHeld);
    };
    return {
      find: (values) => queue.read(look, values),
      last: (name) => held?.last(name),
      replace: (...change) => held?.replace(...change),
      forget: (name) => void held?.take(name),
    };
  };
  return {
    life: () => queue.read(eras.life),
    forget: (until) => queue.writeFromReserve(() => eras.forget(until)),
    forgotten: async () => queue.read(eras.forgotten),
    expectWritable: () => queue.write(() => undefined),
    reader: (asked, parse, remembering) => {
      const { get } = prepare(database, asked);
      const read = (values: Values) => {
        const columns = get(values);
        return columns && parse(columns, eras.life);
      };
      return readerOf(read, remembering);
    },
    listReader: (asked, parse, remembering) => {
      const { all } = prepare(database, asked);
      return readerOf((values) => parse(all(values)), remembering);
    },
    bulkReader: (asked, parse) => {
      const { all } = prepare(database, asked);
      const answer = (questions: readonly Values[]) =>
        questions.map((values) => parse(all(values)));
      return async (questions) => queue.read(answer, questions);
    },
    editor: (_name, statements) => {
      const prepared = statements.map((one) => prepare(database, one));
      return (life, { endsEra, isUrgent, accepts, settled }, rows) =>
        write(isUrgent, () => {
          const { registrations, era } = eras.life();
          if (registrations !== life.registrations || era !== life.era) return false;
          if (accepts !== undefined && eras.forgotten() !== accepts.forgotten) return false;
          eras.edited();
          if (accepts !== undefined) eras.accept(accepts.time);
          else if (endsEra) eras.end();
          for (const [index, { run }] of prepared.entries()) rows[index]?.forEach(run);
          settled();
          return true;
        });
    },
    writer: (asked) => {
      const { run } = prepare(database, asked);
      return (values, { settled } = {}) =>
        write(asked.isUrgent, () => {
          const isChanged = run(typeof values === 'function' ? values(eras.current()) : values);
          if (isChanged) settled?.();
          return isChanged;
        });
    },
    chainWriter: ({ name, isUrgent, guard, steps }) => {
      const first = prepare(database, guard);
      const others = steps.map((step) => prepare(database, step));
      return (values) =>
        write(isUrgent, () => {
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
    bulkWriter: (asked) => {
      const { run } = prepare(database, asked);
      return (rows, { lived, forgotten = 0 as Instant }) =>
        write(asked.isUrgent, () => {
          if (eras.accepted()?.era !== lived) return 0;
          eras.forget(forgotten);
          return rows.filter(run).length;
        });
    },
    orderOf: ({ order, key, columns }) =>
      order === 'as inserted'
        ? { rowid: integer() }
        : Object.fromEntries(key.map((name) => [name, columns[name] ?? integer()])),
    noter: (asked, { waiting, written }) => {
      const { run } = prepare(database, asked);
      let uncommitted: readonly Values[] = [];
      transactions.follow({
        beforeCommit: () => {
          uncommitted = waiting();
          uncommitted.forEach(run);
        },
        committed: () => written(uncommitted),
      });
    },
  };
}
