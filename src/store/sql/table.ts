// Owns how a table of an SQL backend is described: one ordered list of columns, from which come a
// backend's statements, the row's type and the order of its checksum.

import { crc32 } from 'node:zlib';

import { Unavailable } from '../../oauth/failure.ts';

export type Value = string | number | Uint8Array | null;

export interface Column<Held extends Value = Value> {
  readonly type: 'text' | 'integer' | 'blob';
  readonly isNullable: boolean;
  /** Its texts have a sum of their own (`withSum`), and the row's does not cover them. */
  readonly hasOwnSum?: boolean;
  /** Never there: it carries the type of the column's values. */
  readonly held?: Held;
}

export function text<Held extends string = string>(): Column<Held> {
  return { type: 'text', isNullable: false };
}

/** Texts of `withSum`: a column that was added to a table, to rows whose sums were there already. */
export function ownSummed(): Column<string> {
  return { type: 'text', isNullable: false, hasOwnSum: true };
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
  /** The sum is turned over (`turned`) while this column holds a value. */
  readonly turnedBy: string | undefined;
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
  readonly turnedBy?: Name;
}

/** A table whose rows have no sums. */
export function plainTable<Listed extends Columns>(
  name: string,
  layout: Layout<keyof Listed & string>,
  columns: Listed,
): Table<RowOfColumns<Listed>> {
  const { key, unique = [], order = 'by key', turnedBy } = layout;
  const names = Object.keys(columns);
  return { name, columns, names, summed: [], turnedBy, key, unique, order };
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
  const covered = Object.entries(listed).filter(
    ([column, { hasOwnSum }]) => hasOwnSum !== true && !unsummed.includes(column),
  );
  const { row: _row, ...described } = plainTable(name, layout, { ...listed, sum: integer() });
  return { ...described, summed: covered.map(([column]) => column) };
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

/** A sum turned over: SQL's `~sum`. */
export function turned(sum: number): number {
  return ~sum;
}

/** The sum that a row of these values has. */
export function sumOf<Row>({ summed, turnedBy }: Table<Row>, row: Omit<Row, 'sum'>): number {
  const values = row as Readonly<Record<string, Value>>;
  const sum = rowSum(summed.map((name) => values[name] ?? null));
  return turnedBy === undefined || (values[turnedBy] ?? null) === null ? sum : turned(sum);
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

/**
 * A check of rows that are read as the values of `names`: whether each fits its sum, and the texts in it
 * that have sums of their own. Every row of a table without sums does.
 */
export function wholeness<Row>(
  { summed, turnedBy, columns, names: all }: Table<Row>,
  names: readonly string[] = all,
): (row: readonly Value[]) => boolean {
  const at = (name: string): number => names.indexOf(name);
  const covered = summed.map(at);
  const own = names.filter((name) => columns[name]?.hasOwnSum === true).map(at);
  const [turner, sum] = [at(turnedBy ?? ''), at('sum')];
  return (row) => {
    if (sum === -1) return true;
    const expected = rowSum(covered.map((index) => row[index] ?? null));
    if (row[sum] !== ((row[turner] ?? null) === null ? expected : turned(expected))) return false;
    return own.every(
      (index) => row[index] === null || textBehindSum(String(row[index])) !== undefined,
    );
  };
}

/** A text behind its sum, for a column with `hasOwnSum`. */
export function withSum(covered: string): string {
  return `${rowSum([covered])} ${covered}`;
}

/** The text of a column with `hasOwnSum`; undefined where it does not fit its sum. */
export function textBehindSum(column: string): string | undefined {
  const covered = column.slice(column.indexOf(' ') + 1);
  return column === withSum(covered) ? covered : undefined;
}

/** The error of a verb that met a damaged row. */
export function damaged(name: string): Unavailable {
  return new Unavailable(`store: a row of ${name} is damaged`);
}
