// Owns statements in PostgreSQL: those of a turn in one, over arrays, and a plain one where there is one
// question (FLEET 1.1).

import { type Chain, chainOverRows } from '../sql/chain.ts';
import type { Chained, ChangeOptions, Db, Found, Reader, Values } from '../sql/db.ts';
import { arrayTypes, isInsert, overOne, overRows, type Statement } from '../sql/statement.ts';
import type { Value } from '../sql/table.ts';
import { epochColumns, epochLength, type Epochs } from './epoch.ts';
import { binaryArray } from './link/array.ts';
import { batched, untilKnown } from './link/batch.ts';
import type { Link } from './link/link.ts';
import type { Parameter, Rows, Statement as Sent } from './link/statement.ts';

/** The texts that are sent for a statement, by how many questions there are. */
export interface Texts {
  readonly one: Sent;
  readonly many: Sent;
}

export function textsOf(asked: Statement): Texts {
  const { name, isRead } = asked;
  return {
    one: { name, text: overOne(asked, epochColumns), isRead },
    many: { name: `${name}s`, text: overRows(asked, epochColumns), isRead },
  };
}

export function chainText(asked: Chain): Sent {
  return { name: `${asked.name}s`, text: chainOverRows(asked), isRead: false };
}

function arraysOf(
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

/** Runs a statement about each of the rows. */
function runner(
  link: Link,
  asked: Statement,
): (rows: readonly Values[], until: number) => Promise<Rows> {
  const { one, many } = textsOf(asked);
  return (rows, until) => {
    const [row] = rows;
    if (row === undefined || rows.length > 1) return link.run(many, arraysOf(asked, rows), until);
    const values = asked.parameters.map((name) => row[name] ?? null);
    return link.run(one, values, until);
  };
}

function namer(row: readonly string[]): (values: Values) => string {
  return (values) => row.map((name) => String(values[name])).join('\0');
}

interface Change {
  readonly values: Values;
  readonly again: Values;
}

/**
 * @param epochs is told of each row of `epoch` that is read along
 * @param written is told how many rows were changed
 */
export function postgresDb(link: Link, epochs: Epochs, written: (rows: number) => void): Db {
  return {
    reader: <Row>(asked: Statement, parse: (columns: readonly Value[]) => Row): Reader<Row> => {
      const run = runner(link, asked);
      const find = batched<Values, Found<Row> | undefined>({
        link,
        answer: async (questions, until) => {
          const rows = await run(questions, until);
          const [first] = rows;
          if (first === undefined) return questions.map(() => undefined);
          // The member is looked up next, the client again.
          const life = epochs.note(first.slice(1));
          const found = new Map(rows.map(([n, ...columns]) => [Number(n), columns]));
          return questions.map((_, index) => {
            const columns = found.get(index + 1);
            return columns && { row: parse(columns.slice(epochLength) as Value[]), life };
          });
        },
      });
      return { find, replace: () => undefined, forget: () => undefined };
    },
    writer: (asked, second = asked) => {
      const [first, next] = [runner(link, asked), runner(link, second)];
      const rowOf = namer(asked.row);
      const ask = batched<Change, boolean | undefined>({
        link,
        rowOf: ({ values }) => rowOf(values),
        answer: async (changes, until) => {
          const { result, wasUnknown } = await untilKnown(until, (isAgain) =>
            isAgain
              ? next(
                  changes.map(({ again }) => again),
                  until,
                )
              : first(
                  changes.map(({ values }) => values),
                  until,
                ),
          );
          const isByRow = isInsert(asked) && changes.length > 1;
          const done = new Set(result.map((row) => (isByRow ? row.join('\0') : String(row[0]))));
          written(done.size);
          const other = wasUnknown ? undefined : false;
          return changes.map(
            ({ values }, index) => done.has(isByRow ? rowOf(values) : `${index + 1}`) || other,
          );
        },
      });
      return async (given, { again, settled }: ChangeOptions = {}) => {
        const values = typeof given === 'function' ? given((await epochs.current()).era) : given;
        const isChanged = await ask({ values, again: again ?? values });
        if (isChanged === true) settled?.();
        return isChanged;
      };
    },
    chainWriter: (asked, second) => {
      const [first, next] = [chainText(asked), chainText(second)];
      return batched<Values, Chained>({
        link,
        rowOf: namer(asked.row),
        answer: async (rows, until) => {
          const { result, wasUnknown } = await untilKnown(until, (isAgain) =>
            isAgain
              ? link.run(next, arraysOf(second, rows), until)
              : link.run(first, arraysOf(asked, rows), until),
          );
          const done = new Map<number, number>();
          for (const [n, parts] of result) {
            done.set(Number(n), Math.max(done.get(Number(n)) ?? 0, Number(parts)));
          }
          written(done.size);
          return rows.map((_, index) => ({ done: done.get(index + 1) ?? 0, wasUnknown }));
        },
      });
    },
  };
}
