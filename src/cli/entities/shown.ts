// Owns how items are printed: the same values as JSON, as a sheet and in a row of a list.

import { failed } from '../../server/exit.ts';
import { OutputLost, type OutputOptions, printResult } from '../output.ts';
import { sheet, type Uses, type View } from '../table.ts';
import { type Fields, listOf } from './fields.ts';

export interface Shown<Name extends string = string> {
  readonly json: Name;
  readonly label: string;
  readonly value: unknown;
  readonly lines: readonly string[];
}

/** A value of one line in sheets; null prints no line. */
export function shown<Name extends string>(
  json: Name,
  label: string,
  value: string | number | null,
): Shown<Name> {
  return { json, label, value, lines: value === null ? [] : [String(value)] };
}

/** A value in JSON that sheets do not show. */
export function unshown<Name extends string>(json: Name, value: string): Shown<Name> {
  return { json, label: '', value, lines: [] };
}

/** A field without a value is null in JSON, so that all items have the same keys. */
export function showFields<Shape, Name extends string>(
  fields: Fields<Shape, Name>,
  item: Shape,
  uses: Uses = new Map(),
): readonly Shown<Name>[] {
  return listOf<Shape, Name>(fields).map(([name, field]) => {
    const value: unknown = item[name];
    return {
      json: field.json,
      label: field.label ?? field.json.replaceAll('_', ' '),
      value: field.view === undefined ? (value ?? null) : field.view(value, uses),
      lines: field.lines?.(value, uses) ?? [value ?? []].flat().map(String),
    };
  });
}

export function jsonOf(values: readonly Shown[]): View {
  return Object.fromEntries(values.map(({ json, value }) => [json, value]));
}

export function sheetOf(values: readonly Shown[]): string {
  return sheet(values.map(({ label, lines }) => [label, lines]));
}

export function printShown(values: readonly Shown[], options: OutputOptions): Promise<void> {
  return printResult(options, jsonOf(values), sheetOf(values));
}

/** A secret with its item, in text and in JSON. */
export interface Handover {
  readonly text: string;
  readonly json: object;
}

export function handoverOf(intro: readonly string[], values: readonly Shown[]): Handover {
  return { text: [...intro, '', sheetOf(values)].join('\n'), json: jsonOf(values) };
}

/**
 * Prints a secret of which the store keeps no copy.
 * @param lost makes the error text if printing fails; it may first undo the change
 */
export async function handOver(
  { text, json }: Handover,
  options: OutputOptions,
  lost: (reason: string) => Promise<string> | string,
): Promise<void> {
  try {
    await printResult(options, json, text);
  } catch (error) {
    if (!(error instanceof OutputLost)) throw error;
    throw failed(await lost(error.message));
  }
}
