// Owns what the care of a store asks of its place, which is a file or a schema: statements, and what the
// place itself knows of its size, its damage and its life.

import type { Instant } from '../../lib/clock.ts';
import type { Era } from '../../oauth/grant.ts';
import type { AcceptedTime } from '../accepted_time.ts';
import type { Values } from '../sql/db.ts';
import { type Statement, withParameters } from '../sql/statement.ts';
import type { Value } from '../sql/table.ts';

/** The values of a row in the order of the columns that were asked for. */
export type Row = readonly Value[];

/** How many rows a table has: exactly, or about, where counting them would take too long. */
export interface Count {
  readonly rows: number;
  readonly isExact: boolean;
}

/** When a store was last served. */
export interface Recorded {
  readonly recordedTime?: Instant;
  /** Of a file: the machine's uptime at the recorded time, which counts on the same machine alone. */
  readonly recordedUptime?: string;
}

/** What every kind of place keeps in its own way. */
export interface Life extends Pick<Recorded, 'recordedUptime'> {
  readonly era: Era;
  /** Revocations up to this instant may have been removed since a time was accepted last. */
  readonly forgottenSince?: Instant;
  readonly accepted?: AcceptedTime;
}

/** A store in its place, by statements that stand once for both kinds. */
export interface Place {
  /** How messages name it. */
  readonly name: string;
  /**
   * By the store's own clock, as far as there is one: that of the command may be years away (FAULTS 28). Of a
   * file, a time that was recorded since the machine was started tells.
   */
  readonly now: (recorded?: Recorded) => Promise<Instant>;
  /** Of the schema that this Jetway knows, and this store has. */
  readonly schema: number;
  /** Runs a statement and returns its rows; `:name` stands for a parameter. */
  readonly run: (text: string, values?: Values) => Promise<readonly Row[]>;
  /** The rows of a SELECT, some at a time; one such SELECT is read at once. */
  readonly chunks: (text: string) => AsyncIterable<readonly Row[]>;
  /** Does a statement over each of the rows, in their order. */
  readonly write: (asked: Statement, rows: readonly Values[]) => Promise<void>;
  /** For how many of the questions a SELECT finds no row. */
  readonly missing: (asked: Statement, questions: readonly Values[]) => Promise<number>;
  /** Runs `body` in a transaction that sees one moment; nothing of it stands where `body` throws. */
  readonly transaction: <Result>(body: () => Promise<Result>) => Promise<Result>;
  /** The life of the store; `meta` is what its table of that name says. */
  readonly life: (meta: ReadonlyMap<string, string>) => Promise<Life>;
  readonly putLife: (life: Life) => Promise<void>;
  /** The tables of the store, but `meta`. */
  readonly tables: () => Promise<readonly string[]>;
  readonly count: (table: string) => Promise<Count>;
  /** SQL of a table, or of as much of it as is looked at. */
  readonly sample: (table: string, count: Count) => string;
  /** Bytes; on a server of these tables alone, if any are named. */
  readonly size: (tables?: readonly string[]) => Promise<number>;
  /** Damage that hides any other, in words. */
  readonly ownDamage: () => Promise<readonly string[]>;
  /** What its servers tell of themselves. */
  readonly server?: () => Promise<ServerFacts>;
}

export interface ServerFacts {
  readonly server: Readonly<Record<string, string>>;
  /** What an operator should mend though the store is sound. */
  readonly warnings: readonly string[];
}

/** Rows that are read and written at once. */
export const chunkRows = 2000;

/** A text with its parameters numbered behind `mark`, and their values in that order. */
export function numbered(
  text: string,
  values: Values,
  mark: '?' | '$',
): { readonly text: string; readonly values: readonly Value[] } {
  const names: string[] = [];
  const written = withParameters(text, (name) => {
    if (!names.includes(name)) names.push(name);
    return `${mark}${names.indexOf(name) + 1}`;
  });
  return { text: written, values: names.map((name) => values[name] ?? null) };
}

/** The first column of the first row, as a number. */
export async function numberOf({ run }: Pick<Place, 'run'>, text: string): Promise<number> {
  const [[number] = []] = await run(text);
  return Number(number);
}
