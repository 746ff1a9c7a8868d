// Owns what a SELECT of an SQL backend reads: columns of several tables, each found as a row of its own.

import type { ColumnList, Value } from './table.ts';

/** What a statement reads of a table that it names so. */
export interface Part<Found> {
  readonly names: readonly string[];
  readonly alias: string;
  /** Never there: it carries the type of what is found. */
  readonly found?: Found;
}

export function from<Row>({ names }: ColumnList<Row>, alias: string): Part<Row> {
  return { names, alias };
}

/** Null where a LEFT JOIN found no row: the first column must be one that is never NULL. */
export function leftJoined<Row>({ names }: ColumnList<Row>, alias: string): Part<Row | null> {
  return { names, alias };
}

export type FoundIn<Named> = {
  readonly [Name in keyof Named]: Named[Name] extends Part<infer Found> ? Found : never;
};

export type Parts = Readonly<Record<string, Part<unknown>>>;

/** The columns of a SELECT, and the reader of the values that it returns in their order. */
export interface PartReader<Found> {
  readonly columns: string;
  /** How many columns there are. */
  readonly length: number;
  /** `values` may have others behind those of the parts. */
  readonly read: (values: readonly Value[]) => Found;
}

/** Rows come as arrays, and are named here: an object made by a driver for every row would cost more. */
export function partReader<const Named extends Parts>(parts: Named): PartReader<FoundIn<Named>> {
  const list: string[] = [];
  const readers = Object.entries(parts).map(([name, { names, alias }]) => {
    const start = list.length;
    list.push(...names.map((column) => `${alias}.${column}`));
    const empty = Object.fromEntries(names.map((column) => [column, null]));
    return { name, start, names, empty };
  });
  const read = (values: readonly Value[]): FoundIn<Named> => {
    const found: Record<string, unknown> = {};
    for (const { name, start, names, empty } of readers) {
      if (values[start] === null) {
        found[name] = null;
        continue;
      }
      // A copy has all its properties from the start: cheaper than to add one after another.
      const row: Record<string, Value> = { ...empty };
      let at = start;
      for (const column of names) row[column] = values[at++] ?? null;
      found[name] = row;
    }
    return found as FoundIn<Named>;
  };
  return { columns: list.join(', '), length: list.length, read };
}
