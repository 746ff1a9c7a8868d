// Owns the common form of CSV and YAML files: rows of values with their positions.

import { extname } from 'node:path';

import { type Fault, type Position, quote } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import { wrongUsage } from '../../server/exit.ts';
import type { Given, Input, Inputs } from '../entities/fields.ts';

export interface Value extends Given {
  readonly at: Position;
}

/** A text of a file; in CSV the place is inside the quotes, if there are any. */
export type Text = Pick<Value, 'text' | 'at'>;

/** The values of one input in a row. */
export interface Cell {
  readonly input: Input;
  readonly values: readonly Value[];
}

/** What a file holds of one item. */
export interface Item {
  readonly at: Position;
  readonly cells: readonly (Cell | Fault)[];
}

export interface Row {
  readonly at: Position;
  /** By column name. A column without a value is absent; a column with a refused value is empty. */
  readonly given: ReadonlyMap<string, readonly Value[]> & Inputs;
}

export interface Table {
  readonly rows: readonly Row[];
  /** The columns of the file; a missing required column is reported once, not for each row. */
  readonly columns: ReadonlySet<string>;
  readonly faults: readonly Fault[];
}

/** Makes rows of the items that could be read; `faults` are those of the file besides. */
export function tableOf(
  columns: Table['columns'],
  items: readonly (Item | Fault)[],
  faults: readonly Fault[],
): Table {
  const rows = items.flatMap((item) => {
    if (!('cells' in item)) return [];
    const given = new Map<string, readonly Value[]>();
    for (const cell of item.cells) {
      if (!('values' in cell)) continue;
      const { input, values } = cell;
      given.set(input.name, [...(given.get(input.name) ?? []), ...values]);
    }
    return [{ at: item.at, given }];
  });
  const parts = items.flatMap((item) => ('cells' in item ? item.cells : [item]));
  return { rows, columns, faults: [...faults, ...parts.filter((one) => 'message' in one)] };
}

/** The name of an input's column, for people. */
export function columnName({ name, nameFault }: Input): string {
  return nameFault === undefined ? name : `${name}.NAME`;
}

export function columnsHelp(noun: string, inputs: readonly Input[]): string {
  const required = inputs.filter((input) => input.required).map(columnName);
  const others = inputs.flatMap((input) => {
    const { many, nested } = input;
    if (input.required === true) return [];
    const note = nested && ` (in a .yaml ${nested.map}: { ${nested.key ?? 'NAME'}: … })`;
    return [
      columnName(input) + (many === true ? ' (several, with spaces between them)' : (note ?? '')),
    ];
  });
  const needed = `${required.join(', ')}, which every ${noun} needs`;
  return others.length === 0 ? needed : `${needed}; ${others.join(', ')}`;
}

export function valueOf({ given }: Row, column: string): Value | undefined {
  return given.get(column)?.[0];
}

/** The text of a column; empty if the row has none. */
export function textIn(row: Row, column: string): string {
  return valueOf(row, column)?.text ?? '';
}

/** The values of an input; a text of an input that takes several is split at spaces. */
export function valuesOf(
  { name: column, words, many }: Input,
  { text, at }: Text,
  name?: string,
): readonly Value[] {
  const label = words ?? column;
  if (many === true) return wordsIn(text, at).map((word) => ({ ...word, label }));
  return [{ text: name === undefined ? text : `${name}=${text}`, at, label }];
}

/** The words of a text, separated by spaces or line breaks, each with its position. */
function wordsIn(text: string, at: Position): readonly Text[] {
  return [...text.matchAll(/\S+/g)].map((match) => {
    const lines = text.slice(0, match.index).split('\n');
    const last = lines.at(-1) ?? '';
    const line = at.line + lines.length - 1;
    const column = last.length + (lines.length === 1 ? at.column : 1);
    return { text: match[0], at: { ...at, line, column } };
  });
}

/** The format by the file's name; on standard input, a YAML list begins with a dash. */
export function formatOf(path: string): (text: string) => 'csv' | 'yaml' {
  const isList = /^(?:\s*(?:#|---).*\n)*\s*(?:-\s|\[)/;
  if (path === '-') return (text) => (isList.test(text) ? 'yaml' : 'csv');
  const extension = extname(path).toLowerCase();
  if (extension === '.csv') return () => 'csv';
  if (extension === '.yaml' || extension === '.yml') return () => 'yaml';
  throw wrongUsage(`${quote(path)} is neither a .csv nor a .yaml file`);
}

export function warningAt({ at }: Pick<Value, 'at'>, message: string, hint?: string): Fault {
  return present({ severity: 'warning', at, path: '', message, hint });
}
