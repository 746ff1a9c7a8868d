// Owns statements in PostgreSQL: those of a turn in one, over arrays, and a plain one where there is one
// question (FLEET 1.1).

import { BoundedMap } from '../../lib/bounded_map.ts';
import type { Instant } from '../../lib/clock.ts';
import { randomKey } from '../../lib/random.ts';
import type { Chained, ChangeOptions, Db, Life, Reader, Remembering, Values } from '../sql/db.ts';
import { isInsert, type Statement } from '../sql/statement.ts';
import { integer, type Value } from '../sql/table.ts';
import { epochLength, type Epochs } from './epoch.ts';
import { batched, untilKnown } from './link/batch.ts';
import type { Link } from './link/link.ts';
import { OutcomeUnknown, type Rows } from './link/statement.ts';
import {
  arraysOf,
  bulkText,
  chainText,
  confirmEdition,
  editText,
  findForgotten,
  noteForgotten,
  noteOfLife,
  textsOf,
} from './texts.ts';

/** Runs a statement about each of the rows. */
function runner(
  link: Link,
  asked: Statement,
  join?: 'CROSS' | 'LEFT',
): (rows: readonly Values[], until: number) => Promise<Rows> {
  const { one, many } = textsOf(asked, join);
  return (rows, until) => {
    const [row] = rows;
    if (row === undefined || rows.length > 1) return link.run(many, arraysOf(asked, rows), until);
    const values = asked.parameters.map((name) => row[name] ?? null);
    return link.run(one, values, until);
  };
}

/** The rows of each question, without what tells of the question; of a LEFT JOIN without those of nothing. */
function grouped(
  rows: Rows,
  questions: number,
  join: 'CROSS' | 'LEFT',
): readonly (readonly (readonly Value[])[])[] {
  const groups = Array.from({ length: questions }, (): (readonly Value[])[] => []);
  for (const row of rows) {
    const found = row.slice(1 + epochLength) as Value[];
    const isThere = join === 'CROSS' || found.some((column) => column !== null);
    if (isThere) groups[Number(row[0]) - 1]?.push(found);
  }
  return groups;
}

function namer(row: readonly string[]): (values: Values) => string {
  return (values) => row.map((name) => String(values[name])).join('\0');
}

interface Change {
  readonly values: Values;
  readonly again: Values;
}

/** By its key, whatever order a table lies in. */
export const postgresOrder: Db['orderOf'] = ({ key, columns }) =>
  Object.fromEntries(key.map((name) => [name, columns[name] ?? integer()]));

export interface DriverParts {
  readonly link: Link;
  /** For what may be large. */
  readonly care: Link;
  /** Told of each row of `epoch` that is read along. */
  readonly epochs: Epochs;
  /** Told how many rows were changed. */
  readonly written: (rows: number) => void;
}

/** A row, and what was read along. */
interface Found<Row> {
  readonly row: Row;
  readonly life: Life;
}

type Remembered<Row> = Pick<Reader<Row>, 'find'>;

/** What is remembered of registered things stands as long as none has changed. */
function remembered<Row>(
  epochs: Epochs,
  { nameOf, isHeld, most }: Remembering<Row>,
  ask: (values: Values) => Promise<Found<Row> | undefined>,
): Remembered<Row> {
  let known = new BoundedMap<string | number, Row>(most);
  let knownAs = -1;
  /** Undefined for an answer that a later one has overtaken. */
  const fresh = ({ registrations }: Life): typeof known | undefined => {
    if (registrations > knownAs) {
      known = new BoundedMap(most);
      knownAs = registrations;
    }
    return registrations === knownAs ? known : undefined;
  };
  return {
    find: async (values) => {
      const life = await epochs.current();
      const row = fresh(life)?.get(nameOf(values));
      if (row !== undefined) return row;
      const found = await ask(values);
      if (found !== undefined && isHeld?.(found.row, values) === true) {
        fresh(found.life)?.set(nameOf(values), found.row);
      }
      return found?.row;
    },
  };
}

interface PostgresDb extends Db {
  /**
   * Writes what waits of notes; call it every second.
   * @param until milliseconds of the process; the long span of `care` if left out
   */
  readonly flush: (until?: number) => Promise<void>;
}

export function postgresDb({ link, care, epochs, written }: DriverParts): PostgresDb {
  const noted: ((until?: number) => Promise<void>)[] = [];
  const asker = <Row>(
    asked: Statement,
    parse: (rows: readonly (readonly Value[])[], life: () => Life) => Row | undefined,
    join: 'CROSS' | 'LEFT',
  ) => {
    const run = runner(link, asked, join);
    const ask = batched<Values, (() => Found<Row> | undefined) | undefined>({
      link,
      answer: async (questions, until) => {
        const rows = await run(questions, until);
        const [first] = rows;
        // The member is looked up next, the client again.
        if (first === undefined) return questions.map(() => undefined);
        const life = epochs.note(first.slice(1));
        return grouped(rows, questions.length, join).map((columns) => () => {
          const row = parse(columns, () => life);
          return row === undefined ? undefined : { row, life };
        });
      },
    });
    // Read by each question itself: a damaged row fails nobody else's.
    return async (values: Values) => (await ask(values))?.();
  };
  const readerOf = <Row>(
    ask: (values: Values) => Promise<Found<Row> | undefined>,
    remembering?: Remembering<Row>,
  ): Reader<Row> => ({
    find: async (values) => (await ask(values))?.row,
    ...(remembering?.isHeld && remembered(epochs, remembering, ask)),
    last: () => undefined,
    replace: () => undefined,
    forget: () => undefined,
  });
  return {
    life: epochs.current,
    forget: async (until) => void (await link.run(noteForgotten, [until])),
    // A server without room tells so at the next write.
    expectWritable: () => Promise.resolve(),
    forgotten: async () => {
      const [[forgotten = 0] = []] = await care.run(findForgotten, []);
      return forgotten as Instant;
    },
    reader: (asked, parse, remembering) =>
      readerOf(
        asker(asked, ([columns], life) => columns && parse(columns, life), 'CROSS'),
        remembering,
      ),
    listReader: (asked, parse, remembering) => readerOf(asker(asked, parse, 'LEFT'), remembering),
    bulkReader: (asked, parse) => {
      const run = runner(care, asked, 'LEFT');
      return async (questions) => {
        const rows = questions.length === 0 ? [] : await run(questions, care.deadline());
        const [first] = rows;
        if (first !== undefined) epochs.note(first.slice(1));
        return grouped(rows, questions.length, 'LEFT').map(parse);
      };
    },
    editor: (name, statements) => {
      const [usual, accepting] = [editText(name, statements), editText(name, statements, true)];
      return async ({ registrations, era }, { endsEra, isRepeatable, accepts, settled }, rows) => {
        const mark = randomKey(9);
        const values = statements.flatMap((asked, index) => arraysOf(asked, rows[index] ?? []));
        const first = [registrations, era, endsEra, mark];
        try {
          const done = await (accepts === undefined
            ? care.run(usual, [...first, ...values])
            : care.run(accepting, [...first, accepts.time, accepts.forgotten, ...values]));
          if (done.length === 0) return false;
        } catch (error) {
          if (!(error instanceof OutcomeUnknown)) throw error;
          if ((await care.run(confirmEdition, [mark])).length === 0) {
            if (isRepeatable) return false;
            throw new OutcomeUnknown(
              `${error.message}: the change may have been made (look before you try again)`,
              { cause: error },
            );
          }
        }
        settled();
        return true;
      };
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
        const isChanged = await ask({ values, again: again?.() ?? values });
        if (isChanged === true) settled?.();
        return isChanged;
      };
    },
    chainWriter: (asked, second = asked) => {
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
    bulkWriter: (asked) => {
      const text = bulkText(asked);
      return async (rows, { lived = null, forgotten = 0 }) => {
        if (forgotten > 0) await care.run(noteOfLife, [forgotten, lived]);
        return (await care.run(text, [lived, ...arraysOf(asked, rows)])).length;
      };
    },
    orderOf: postgresOrder,
    noter: (asked, { waiting, written: settled }) => {
      const { many } = textsOf(asked);
      const nameOf = namer(asked.row);
      noted.push(async (until) => {
        // One order for all nodes: two statements never wait for each other's rows.
        const rows = waiting().toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
        if (rows.length === 0) return;
        await care.run(many, arraysOf(asked, rows), until);
        settled(rows);
      });
    },
    // What fails is written with the next call.
    flush: async (until) =>
      void (await Promise.all(noted.map((write) => write(until).catch(() => undefined)))),
  };
}
