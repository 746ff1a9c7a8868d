// Owns how a table of an SQL backend is described: one ordered list of columns, from which come a
// backend's statements, the row's type and the order of its checksum.

import { crc32 } from 'node:zlib';

import { Unavailable } from '../../oauth/failure.ts';

export type Value = string | number | Uint8Array | null;

export interface Column<Held extends Value = Value> {
  readonly type: 'text' | 'integer' | 'blob';
  readonly isNullable: boolean;
  /** Never there: it carries the type of the column's values. */
  readonly held?: Held;
}

export function text<Held extends string = string>(): Column<Held> {
  return { type: 'text', isNullable: false };
}

export function integer<Held extends number = number>(): Column<Held> {
  return { type: 'integer', isNullable: false };
}

export function blob(): Column<Uint8Array> {
  return { type: 'blob', isNullable: false };
}

export function nullable<Held extends Value>(column: Column<Held>): Column<Held | null> {
  return { ...column, isNullable: true };
}

type Columns = Readonly<Record<string, Column>>;

type RowOfColumns<Listed extends Columns> = {
  readonly [Name in keyof Listed]: Listed[Name] extends Column<infer Held> ? Held : never;
};

/** Columns of a table, all or some of them. */
export interface ColumnList<Row> {
  /** In the order in which they are written and read. */
  readonly names: readonly string[];
  /** Never there: it carries the type of the rows. */
  readonly row?: Row;
}

export interface Table<Row = unknown> extends ColumnList<Row> {
  readonly name: string;
  readonly columns: Columns;
  /** The columns that the sum covers, in the order in which it covers them. */
  readonly summed: readonly string[];
  readonly key: readonly string[];
  readonly unique: readonly (readonly string[])[];
  /** How rows lie beside each other, where a backend has the choice. */
  readonly order: 'by key' | 'as inserted';
}

export type RowOf<Described> = Described extends Table<infer Row> ? Row : never;

interface Layout<Name> {
  readonly key: readonly Name[];
  readonly unique?: readonly (readonly Name[])[];
  readonly order?: Table['order'];
  /** Columns that the sum does not cover. */
  readonly unsummed?: readonly Name[];
}

/** A table whose rows have no sums. */
export function plainTable<Listed extends Columns>(
  name: string,
  layout: Layout<keyof Listed & string>,
  columns: Listed,
): Table<RowOfColumns<Listed>> {
  const { key, unique = [], order = 'by key' } = layout;
  const names = Object.keys(columns);
  return { name, columns, names, summed: [], key, unique, order };
}

/**
 * A table whose rows have these columns, and their sum: a database notices damage to its pages, and
 * not a bit that flipped inside a value.
 */
export function table<Listed extends Columns>(
  name: string,
  layout: Layout<keyof Listed & string>,
  listed: Listed,
): Table<RowOfColumns<Listed> & { readonly sum: number }> {
  const { unsummed = [] } = layout;
  const covered = Object.keys(listed).filter((column) => !unsummed.includes(column));
  const { row: _row, ...described } = plainTable(name, layout, { ...listed, sum: integer() });
  return { ...described, summed: covered };
}

/** Some columns of a table. */
export function some<Row, const Name extends keyof Row & string>(
  _table: Table<Row>,
  ...names: readonly Name[]
): ColumnList<Pick<Row, Name>> {
  return { names };
}

/**
 * The checksum of values, carried on from that of the values before them. A CRC finds what a failing disk
 * or memory does to a row; it is no proof against somebody who can write to the file. It is a signed
 * number of 32 bits, which four bytes hold: no change of a row changes its length.
 */
export function rowSum(values: readonly Value[], before = 0): number {
  let sum = before >>> 0;
  // Texts and numbers between two blobs are covered at once.
  let covered = '';
  for (const value of values) {
    if (isBlob(value)) {
      sum = crc32(value, crc32(covered, sum));
      covered = '';
    } else covered += coveredText(value);
  }
  return crc32(covered, sum) | 0;
}

function isBlob(value: Value): value is Uint8Array {
  return typeof value === 'object' && value !== null;
}

function coveredText(value: string | number | null): string {
  return value === null ? '\u0001\u0000' : `${value}\u0000`;
}

/** The sum that a row of these values has. */
export function sumOf<Row>({ summed }: Table<Row>, row: Omit<Row, 'sum'>): number {
  const values = row as Readonly<Record<string, Value>>;
  return rowSum(summed.map((name) => values[name] ?? null));
}

/** The row with its sum, as values of a statement. */
export function withSum<Row>(
  described: Table<Row>,
  row: Omit<Row, 'sum'>,
): Readonly<Record<string, Value>> {
  const values = row as Readonly<Record<string, Value>>;
  return { ...values, sum: sumOf(described, row) };
}

/**
 * Holds a row that was read to its sum.
 * @throws Unavailable for a damaged row: no answer about it would be true (G-22).
 */
export function expectWhole<Row extends { readonly sum: number }>(
  described: Table<Row>,
  row: Row,
): void {
  if (sumOf(described, row) !== row.sum) throw damaged(described.name);
}

/** A check of rows that are read as the values of `names`; every row of a table without sums is whole. */
export function wholeness<Row>(
  { summed, names: all }: Table<Row>,
  names: readonly string[] = all,
): (row: readonly Value[]) => boolean {
  const covered = summed.map((name) => names.indexOf(name));
  const sum = names.indexOf('sum');
  return (row) => sum === -1 || row[sum] === rowSum(covered.map((index) => row[index] ?? null));
}

/** The error of a verb that met a damaged row. */
export function damaged(name: string): Unavailable {
  return new Unavailable(`store: a row of ${name} is damaged`);
}
