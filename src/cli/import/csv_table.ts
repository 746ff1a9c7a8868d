// Owns CSV whose first line names the columns.

import { errorAt, type Fault, quote } from '../../lib/fault.ts';
import { nameHint } from '../../lib/suggest.ts';
import type { Input } from '../entities/fields.ts';
import { parseCsv } from './csv.ts';
import { columnName, type Item, type Table, tableOf, type Text, valuesOf } from './table.ts';

/** A column of a file: its input and, if the input has named values, the name. */
interface Column {
  readonly input: Input;
  readonly name?: string;
}

/**
 * Never throws.
 * @param example a first line, for the message about a file without one
 */
export function readCsvTable(
  file: string,
  text: string,
  inputs: readonly Input[],
  example: string,
): Table {
  const { records, faults } = parseCsv(file, text);
  const [named, ...rest] = records;
  const header = named && withoutEmptyEnd(named, 1);
  const [first] = header ?? [];
  if (header === undefined || first === undefined) return { rows: [], columns: new Set(), faults };
  const columns = header.map(({ text: name }) => columnOf(name, inputs));
  const known = new Set(columns.flatMap((column) => column?.input.name ?? []));
  if (known.size === 0)
    return { rows: [], columns: known, faults: [...faults, noHeader(first, example)] };
  const missing = inputs
    .filter(({ required, name }) => required === true && !known.has(name))
    .map(({ name }) => errorAt(first.at, [name], `there is no column ${name}`));
  const wrong = header.flatMap((value, index) =>
    headerFaults(value, header.slice(0, index), inputs),
  );
  // A row of separators alone is an empty line of a spreadsheet.
  const filled = rest.filter((record) => record.some((value) => value.text !== ''));
  const read = filled.map((record) => readRow(withoutEmptyEnd(record, columns.length), columns));
  return tableOf(known, read, [...faults, ...missing, ...wrong]);
}

/** The column of a name; a named value of `property` has the column `property.NAME`. */
function columnOf(column: string, inputs: readonly Input[]): Column | undefined {
  for (const input of inputs) {
    if (input.nameFault === undefined) {
      if (column === input.name) return { input };
      continue;
    }
    const prefix = `${input.name}.`;
    const name = column.slice(prefix.length);
    if (column.startsWith(prefix) && input.nameFault(name) === undefined) return { input, name };
  }
  return undefined;
}

/** Spreadsheets write separators up to the last column that ever held something. */
function withoutEmptyEnd(record: readonly Text[], least: number): readonly Text[] {
  const end = record.findLastIndex((value) => value.text !== '') + 1;
  return record.slice(0, Math.max(least, end));
}

/** Never quotes the line: in a file without header it may hold a secret. */
function noHeader({ at }: Text, example: string): Fault {
  const hint = `the first line names them, such as ${example}`;
  return errorAt(at, [], 'these are no names of columns', hint);
}

function headerFaults(
  { text, at }: Text,
  before: readonly Text[],
  inputs: readonly Input[],
): readonly Fault[] {
  if (columnOf(text, inputs) === undefined) {
    const hint = nameHint(text, inputs.map(columnName));
    return [errorAt(at, [text], `there is no column ${quote(text)}`, hint)];
  }
  return before.some((other) => other.text === text)
    ? [errorAt(at, [text], `the column ${quote(text)} is given twice`)]
    : [];
}

function readRow(record: readonly Text[], columns: readonly (Column | undefined)[]): Item | Fault {
  const [{ at: place } = { at: { file: '', line: 1, column: 1 } }] = record;
  const at = { ...place, column: 1 };
  if (record.length !== columns.length) {
    const message = `this line has ${record.length} values, but the header names ${columns.length} columns`;
    return errorAt(at, [], message);
  }
  const cells = record.flatMap((value, index) => {
    const { input, name } = columns[index] ?? {};
    if (input === undefined || value.text === '') return [];
    return [{ input, values: valuesOf(input, value, name) }];
  });
  return { at, cells };
}
