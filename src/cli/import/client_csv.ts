// Owns reading a file of clients that is CSV: which columns it can have, and what stands in them.

import { propertyNameFault } from '../entities/client_rules.ts';
import type { CsvValue } from './csv.ts';
import { type CsvRow, readCsvColumns } from './csv_columns.ts';
import {
  type ImportField,
  importFields,
  type ImportRow,
  type ImportTable,
  type ImportValue,
  listFields,
  requiredFields,
  wordsOf,
} from './table.ts';

const propertyPrefix = 'property.';

const columns = {
  isColumn: (name: string): boolean => isField(name) || isProperty(name),
  names: [...importFields, `${propertyPrefix}NAME`],
  required: requiredFields,
  example: `${requiredFields.join(',')},redirect_uris`,
};

/** Reads the table of a text; never throws. */
export function readCsvTable(file: string, text: string): ImportTable {
  const table = readCsvColumns(file, text, columns);
  return {
    rows: table.rows.map(rowOf),
    fields: new Set([...table.columns].filter(isField)),
    faults: table.faults,
  };
}

function isField(name: string): name is ImportField {
  return importFields.some((field) => field === name);
}

function isProperty(name: string): boolean {
  if (!name.startsWith(propertyPrefix)) return false;
  return propertyNameFault(name.slice(propertyPrefix.length)) === undefined;
}

function rowOf({ at, values }: CsvRow): ImportRow {
  const fields = new Map<ImportField, readonly ImportValue[]>();
  const properties = new Map<string, CsvValue>();
  for (const [column, value] of values) {
    if (!isField(column)) properties.set(column.slice(propertyPrefix.length), value);
    else fields.set(column, listFields.has(column) ? wordsOf(value) : [value]);
  }
  return { at, values: fields, properties };
}
