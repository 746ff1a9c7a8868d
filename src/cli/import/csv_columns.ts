// Owns CSV whose first line names columns: what stands in each row under which name. What the
// columns are is the caller's to say.

import { errorAt, type Fault, type Position, quote } from '../../lib/fault.ts';
import { nameHint } from '../../lib/suggest.ts';
import { type CsvValue, parseCsv } from './csv.ts';

/** Which columns there can be, and how they are spoken of. */
export interface ColumnRules {
  readonly isColumn: (name: string) => boolean;
  /** For hints. */
  readonly names: readonly string[];
  /** Those that each file must have. */
  readonly required: readonly string[];
  /** A first line, for who left it out. */
  readonly example: string;
}

export interface CsvRow {
  readonly at: Position;
  /** By the names of their columns; those that are empty are left out. */
  readonly values: ReadonlyMap<string, CsvValue>;
}

export interface CsvTable {
  readonly rows: readonly CsvRow[];
  readonly columns: ReadonlySet<string>;
  readonly faults: readonly Fault[];
}

/** Reads the table of a text; never throws. */
export function readCsvColumns(file: string, text: string, rules: ColumnRules): CsvTable {
  const { records, faults } = parseCsv(file, text);
  const [header, ...rest] = records;
  if (header === undefined) return { rows: [], columns: new Set(), faults };
  const { columns, faults: headerFaults } = readHeader(header, rules);
  const judged = rest.map((record) => readRow(record, columns));
  return {
    rows: judged.flatMap(({ row }) => row ?? []),
    columns: new Set(columns.filter((column) => column !== undefined)),
    faults: [...faults, ...headerFaults, ...judged.flatMap(({ fault }) => fault ?? [])],
  };
}

/** The names of the columns; undefined where one tells nobody. */
function readHeader(
  header: readonly CsvValue[],
  rules: ColumnRules,
): { readonly columns: readonly (string | undefined)[]; readonly faults: readonly Fault[] } {
  const columns = header.map(({ text }) => (rules.isColumn(text) ? text : undefined));
  const [first] = header;
  if (first === undefined || columns.every((column) => column === undefined)) {
    return { columns: [], faults: first === undefined ? [] : [noHeader(first, rules)] };
  }
  const missing = rules.required
    .filter((name) => !columns.includes(name))
    .map((name) => errorAt(first.at, [name], `there is no column ${name}`));
  const wrong = header.flatMap((value, index) =>
    columnFaults(value, header.slice(0, index), rules),
  );
  return { columns, faults: [...missing, ...wrong] };
}

/** Its words are not told: where a file has no header they may be a secret. */
function noHeader({ text, at }: CsvValue, { example }: ColumnRules): Fault {
  const hint = text.includes(';')
    ? 'separate them with commas'
    : `the first line names them, such as ${example}`;
  return errorAt(at, [], 'these are no names of columns', hint);
}

function columnFaults(
  { text, at }: CsvValue,
  before: readonly CsvValue[],
  rules: ColumnRules,
): readonly Fault[] {
  if (!rules.isColumn(text)) {
    const message = `there is no column ${quote(text)}`;
    return [errorAt(at, [text], message, nameHint(text, rules.names))];
  }
  return before.some((other) => other.text === text)
    ? [errorAt(at, [text], `the column ${quote(text)} is given twice`)]
    : [];
}

function readRow(
  record: readonly CsvValue[],
  columns: readonly (string | undefined)[],
): { readonly row?: CsvRow; readonly fault?: Fault } {
  const [first] = record;
  // The header is told of, and without it nothing can be said of the rest.
  if (first === undefined || columns.length === 0) return {};
  const at = { ...first.at, column: 1 };
  if (record.length !== columns.length) {
    const message = `this line has ${record.length} values, but the header names ${columns.length} columns`;
    return { fault: errorAt(at, [], message) };
  }
  const values = new Map<string, CsvValue>();
  for (const [index, value] of record.entries()) {
    const column = columns[index];
    if (column !== undefined && value.text !== '') values.set(column, value);
  }
  return { row: { at, values } };
}
