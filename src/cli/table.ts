// Owns the layout of text output: tables of rows, sheets of labelled values and counts.

import type { Instant } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import { spellOut } from '../lib/fault.ts';

const gap = '  ';

/** Each column is as wide as its widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(spellOut))];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines.map((line) => alignedLine(line, widths)).join('\n');
}

/** Values by their names in JSON. */
export type View<Name extends string = string> = Readonly<Record<Name, unknown>>;

/** The columns of a list: names in JSON by their headings. */
export type Columns<Name extends string = string> = Readonly<Record<string, Name>>;

/** A table of views; a value that is not there is a dash. */
export function listing<Name extends string>(
  columns: Columns<Name>,
  views: readonly View<Name>[],
): string {
  const cellOf = (value: unknown): string => [value ?? []].flat().map(String).join(', ') || '-';
  const names = Object.values<Name>(columns);
  return table(
    Object.keys(columns),
    views.map((view) => names.map((name) => cellOf(view[name]))),
  );
}

/** One value a line; a label without values is left out. */
export function sheet(
  rows: readonly (readonly [label: string, values: readonly string[]])[],
): string {
  const shown = rows.filter(([, values]) => values.length > 0);
  const width = Math.max(...shown.map(([label]) => label.length));
  return shown
    .flatMap(([label, values]) =>
      values.map((value, index) =>
        alignedLine([index === 0 ? label : '', spellOut(value)], [width]),
      ),
    )
    .map((line) => gap + line)
    .join('\n');
}

function alignedLine(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join(gap)
    .trimEnd();
}

/** When secrets, certificates and keys were last used, recorded at most once an hour. */
export type Uses = ReadonlyMap<Digest, Instant>;

export function useText(lastUsed: string | null): string {
  return lastUsed === null ? 'never used' : `last used ${lastUsed}`;
}

/** `1 error`, `2 errors`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
