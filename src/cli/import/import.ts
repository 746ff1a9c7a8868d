// Owns the steps that all imports share: judge every row, then add all items or none.

import { statSync } from 'node:fs';

import type { Config } from '../../config/config.ts';
import { shownPath } from '../../config/programme_files.ts';
import { byPosition, errorAt, type Fault, formatFault, quote } from '../../lib/fault.ts';
import { readTextFile, UnreadableFile } from '../../lib/read_file.ts';
import type { Programme } from '../../programme/programme.ts';
import {
  complaintsOf,
  type Complaint,
  type Fields,
  type Input,
  type Inputs,
  newInputsOf,
} from '../entities/fields.ts';
import type { Selection } from '../entities/kind.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { type OpenStore, storeExists, withStore } from '../open_store.ts';
import { print, printJson, say, warn } from '../output.ts';
import { type Step, withProgress } from '../progress.ts';
import { readText } from '../standard_input.ts';
import { readCsvTable } from './csv_table.ts';
import { formatOf, type Row, type Table, valueOf } from './table.ts';
import { readYamlTable } from './yaml_table.ts';

export type ImportOptions = Selection & {
  readonly programme: string;
  readonly dryRun?: boolean;
};

/** The item of a row, if it has no errors, and the messages about the row. */
export interface Judged<Draft> {
  readonly draft?: Draft;
  readonly faults: readonly Fault[];
}

/** A column whose values must differ from row to row. */
export interface Unique {
  readonly name: string;
  /** The form in which values are compared, if not as written. */
  readonly spelling?: (text: string) => string;
  /** For a secret: the words that messages use instead of the value. */
  readonly words?: string;
  readonly hint?: string;
}

export interface Import<Draft, Shape> {
  readonly noun: 'client' | 'member';
  readonly fields: Fields<Shape>;
  /** Columns besides the fields: credentials. */
  readonly others: readonly Input[];
  readonly unique: readonly Unique[];
  readonly mostBytes: number;
  /** The first line of a CSV file, for hints. */
  readonly example: string;
  /** Complaints about several inputs together. */
  complaints?(given: Inputs): readonly Complaint[];
  /** Faults of a table whose rows have none. */
  tableFaults?(table: Table): readonly string[];
  /** Judges a row after the checks of its inputs, which found `errors`. */
  judge(row: Row, errors: readonly Fault[]): Judged<Draft>;
  /** Warnings given once for all rows. */
  warnings?(rows: readonly Row[]): readonly Fault[];
  /** Compares the item with the store. An equal item is no fault: imports may be repeated. */
  compare(
    open: OpenStore,
    draft: Draft,
  ): Promise<{ readonly isThere: boolean; readonly faults: readonly Fault[] }>;
  /** Adds all, or none and returns the taken ones; calls `step` after each slow item. */
  add(open: OpenStore, drafts: readonly Draft[], step: Step): Promise<readonly string[]>;
}

/** Imports the items that the store does not have yet; `dryRun` only counts them. */
export async function importFile<Draft, Shape>(
  config: Config,
  programme: Programme,
  path: string,
  spec: Import<Draft, Shape>,
  { json, dryRun = false }: ImportOptions,
): Promise<void> {
  const table = await readTable(path, spec);
  const { drafts, faults } = judgeTable(table, path, spec, programme);
  const items = `${spec.noun}s`;
  const settle = async (open?: OpenStore): Promise<ImportCount> => {
    const standing =
      open &&
      (await withProgress(`looking for ${items} in the store`, drafts.length, (step) =>
        compareAll(open, spec, drafts, step),
      ));
    report(faults, standing?.faults ?? []);
    const fresh = drafts.filter((draft) => standing?.there.has(draft) !== true);
    if (!dryRun && open !== undefined) {
      const add = (step: Step): Promise<readonly string[]> => spec.add(open, fresh, step);
      const taken = await withProgress(`importing ${items}`, fresh.length, add);
      if (taken.length > 0) {
        const message = `nothing is imported: ${taken.join(', ')} came to be taken in ${programme.id} meanwhile`;
        throw new CommandError(exitCodes.failed, message);
      }
    }
    return { imported: fresh.length, unchanged: drafts.length - fresh.length };
  };
  // A dry run makes no store; a store that does not exist holds no item.
  const count = dryRun && !storeExists(config) ? await settle() : await withStore(config, settle);
  if (json === true) return printJson({ programme: programme.id, ...count, dry_run: dryRun });
  return print(told(programme.id, spec.noun, count, dryRun));
}

export function columnsOf<Shape>({
  fields,
  others,
}: Pick<Import<never, Shape>, 'fields' | 'others'>): readonly Input[] {
  return [...others, ...newInputsOf(fields)];
}

async function readTable<Draft, Shape>(path: string, spec: Import<Draft, Shape>): Promise<Table> {
  const { noun, mostBytes, example } = spec;
  const inputs = columnsOf(spec);
  const format = noun === 'client' ? formatOf(path) : () => 'csv';
  const text = await readFile(path, mostBytes);
  return format(text) === 'csv'
    ? readCsvTable(nameOf(path), text, inputs, example)
    : readYamlTable(nameOf(path), text, inputs, noun);
}

/** The name of a file in faults; `-` is standard input. */
function nameOf(path: string): string {
  return path === '-' ? '<stdin>' : shownPath(path);
}

/** @throws CommandError for a file that cannot be read. */
async function readFile(path: string, mostBytes: number): Promise<string> {
  if (path === '-') return readText('file', mostBytes);
  const file = shownPath(path);
  try {
    const text = readTextFile(path, mostBytes);
    if ((statSync(path).mode & 0o077) !== 0) {
      warn(`${file} holds secrets, and others can read it: chmod 600 it, and delete it afterwards`);
    }
    return text;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new CommandError(exitCodes.usage, `${file} ${error.message}`);
  }
}

function judgeTable<Draft, Shape>(
  table: Table,
  path: string,
  spec: Import<Draft, Shape>,
  programme: Programme,
): { readonly drafts: readonly Draft[]; readonly faults: readonly Fault[] } {
  const { noun, fields, others, unique } = spec;
  const places = unique.map((one) => ({ ...one, lines: new Map<string, number>() }));
  const required = columnsOf(spec).filter(
    (one) => one.required === true && table.columns.has(one.name),
  );
  const judged = table.rows.map((row) => {
    const errors = [
      ...places.flatMap((one) => repetition(row, one)),
      ...required
        .filter(({ name }) => !row.given.has(name))
        .map(({ name }) => errorAt(row.at, [], `this ${noun} has no ${name}`)),
      ...[
        ...complaintsOf(fields, row.given, programme, others),
        ...(spec.complaints?.(row.given) ?? []),
      ].map(({ at = row.at, message }) => errorAt(at, [], message)),
    ];
    return spec.judge(row, errors);
  });
  const start = { file: nameOf(path), line: 1, column: 1 };
  const empty = table.rows.length === 0 ? [`there is no ${noun} in this file`] : [];
  const [whole] = table.faults.length > 0 ? [] : [...(spec.tableFaults?.(table) ?? []), ...empty];
  return {
    drafts: judged.flatMap(({ draft }) => draft ?? []),
    faults: [
      ...table.faults,
      ...(whole === undefined ? [] : [errorAt(start, [], whole)]),
      ...judged.flatMap(({ faults }) => faults),
      ...(spec.warnings?.(table.rows) ?? []),
    ],
  };
}

/** A fault if an earlier row has the value; `lines` remembers the first line of each value. */
function repetition(
  row: Row,
  { name, spelling, words, hint, lines }: Unique & { readonly lines: Map<string, number> },
): readonly Fault[] {
  const value = valueOf(row, name);
  if (value === undefined) return [];
  const key = spelling === undefined ? value.text : spelling(value.text);
  const earlier = lines.get(key);
  if (earlier !== undefined) {
    const message = `${words ?? quote(value.text)} is in line ${earlier} already`;
    return [errorAt(value.at, [], message, hint)];
  }
  lines.set(key, value.at.line);
  return [];
}

async function compareAll<Draft, Shape>(
  open: OpenStore,
  spec: Import<Draft, Shape>,
  drafts: readonly Draft[],
  step: Step,
): Promise<{ readonly there: ReadonlySet<Draft>; readonly faults: readonly Fault[] }> {
  const there = new Set<Draft>();
  const faults: Fault[] = [];
  for (const draft of drafts) {
    step();
    const found = await spec.compare(open, draft);
    if (found.isThere) there.add(draft);
    faults.push(...found.faults);
  }
  return { there, faults };
}

type ImportCount = Readonly<Record<'imported' | 'unchanged', number>>;

/** Prints the faults of file and store; ends the command if one is an error. */
function report(inFile: readonly Fault[], inStore: readonly Fault[]): void {
  const faults = [...inFile, ...inStore].toSorted(byPosition);
  for (const fault of faults) say(formatFault(fault));
  const errors = faults.filter(({ severity }) => severity === 'error').length;
  if (errors === 0) return;
  // Conflicts with the store alone are no wrong usage: the file itself is right.
  const exitCode = errors === inStore.length ? exitCodes.failed : exitCodes.usage;
  const message = `nothing is imported: ${errors} ${errors === 1 ? 'error' : 'errors'}`;
  throw new CommandError(exitCode, message);
}

function told(
  programme: string,
  noun: string,
  { imported, unchanged }: ImportCount,
  dryRun: boolean,
): string {
  const rows = `${imported} ${noun}${imported === 1 ? '' : 's'}`;
  const rest = unchanged === 0 ? '' : `; ${unchanged} of the file are there already, like this`;
  if (dryRun) return `${rows} would be imported into ${programme}${rest}; nothing is written`;
  return `${rows} ${imported === 1 ? 'is' : 'are'} imported into ${programme}${rest}`;
}
