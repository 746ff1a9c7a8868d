// Owns reading a file of clients that is CSV: its header line, and what stands under it.

import { errorAt, type Fault, quote } from '../lib/fault.ts';
import { propertyNameFault } from './client_rules.ts';
import { type CsvValue, parseCsv } from './csv.ts';
import {
  type ImportField,
  importFields,
  type ImportRow,
  type ImportTable,
  type ImportValue,
  listFields,
  nameHint,
  requiredFields,
  wordsOf,
} from './import_table.ts';

const propertyPrefix = 'property.';
const names: readonly string[] = [...importFields, `${propertyPrefix}NAME`];

/** What a column is about; undefined where its name tells nobody. */
type Column = ImportField | { readonly property: string } | undefined;

/** Reads the table of a text; never throws. */
export function readCsvTable(file: string, text: string): ImportTable {
  const { records, faults } = parseCsv(file, text);
  const [header, ...rows] = records;
  if (header === undefined) return { rows: [], fields: new Set(), faults };
  const { columns, faults: headerFaults } = readHeader(header);
  const fields = new Set(columns.filter((column) => typeof column === 'string'));
  const judged = rows.map((row) => readRow(row, columns));
  return {
    rows: judged.flatMap(({ row }) => row ?? []),
    fields,
    faults: [...faults, ...headerFaults, ...judged.flatMap(({ fault }) => fault ?? [])],
  };
}

interface Header {
  readonly columns: readonly Column[];
  readonly faults: readonly Fault[];
}

function readHeader(header: readonly CsvValue[]): Header {
  const columns = header.map(({ text }) => columnOf(text));
  const [first] = header;
  if (first === undefined || columns.every((column) => column === undefined)) {
    return { columns: [], faults: first === undefined ? [] : [noHeader(first)] };
  }
  const missing = requiredFields
    .filter((field) => !columns.includes(field))
    .map((field) => errorAt(first.at, [field], `there is no column ${field}`));
  return { columns, faults: [...missing, ...header.flatMap(columnFaults)] };
}

/** Its words are not told: where a file has no header they may be a secret. */
function noHeader({ text, at }: CsvValue): Fault {
  const hint = text.includes(';')
    ? 'separate them with commas'
    : `the first line names them, such as ${requiredFields.join(',')},redirect_uris`;
  return errorAt(at, [], 'these are no names of columns', hint);
}

function columnOf(text: string): Column {
  const field = importFields.find((name) => name === text);
  if (field !== undefined) return field;
  const property = text.slice(propertyPrefix.length);
  const isProperty = text.startsWith(propertyPrefix) && propertyNameFault(property) === undefined;
  return isProperty ? { property } : undefined;
}

function columnFaults(
  { text, at }: CsvValue,
  index: number,
  header: readonly CsvValue[],
): readonly Fault[] {
  if (columnOf(text) === undefined) {
    return [errorAt(at, [text], `there is no column ${quote(text)}`, nameHint(text, names))];
  }
  return header.findIndex((other) => other.text === text) < index
    ? [errorAt(at, [text], `the column ${quote(text)} is given twice`)]
    : [];
}

function readRow(
  record: readonly CsvValue[],
  columns: readonly Column[],
): { readonly row?: ImportRow; readonly fault?: Fault } {
  const [first] = record;
  // The header is told of, and without it nothing can be said of the rest.
  if (first === undefined || columns.length === 0) return {};
  if (record.length !== columns.length) {
    const message = `this line has ${record.length} values, but the header names ${columns.length} columns`;
    return { fault: errorAt({ ...first.at, column: 1 }, [], message) };
  }
  const values = new Map<ImportField, readonly ImportValue[]>();
  const properties = new Map<string, ImportValue>();
  for (const [index, value] of record.entries()) {
    const column = columns[index];
    if (column === undefined || value.text === '') continue;
    if (typeof column !== 'string') properties.set(column.property, value);
    else values.set(column, listFields.has(column) ? wordsOf(value) : [value]);
  }
  return { row: { at: { ...first.at, column: 1 }, values, properties } };
}
