// Owns the steps that all imports share: judge every row, then add all items or none.

import { statSync } from 'node:fs';

import { wholeFault } from '../../config/config.ts';
import { shownPath } from '../../config/programme_files.ts';
import { byPosition, errorAt, type Fault, formatFault, quote } from '../../lib/fault.ts';
import { readSourceFile, UnreadableFile } from '../../lib/read_file.ts';
import type { Programme } from '../../programme/programme.ts';
import { say } from '../../server/ending.ts';
import { CommandError, exitCodes, failed, wrongUsage } from '../../server/exit.ts';
import { type OpenStore, storeExists } from '../../server/open_store.ts';
import {
  complaintsOf,
  type Fields,
  type Input,
  newInputsOf,
  readFields,
} from '../entities/fields.ts';
import type { NewItem } from '../entities/kind.ts';
import type { Values } from '../grammar/options.ts';
import type { dryRun } from '../grammar/rows.ts';
import { expectDurableStore, withStore } from '../open_store.ts';
import { printResult, warn } from '../output.ts';
import { configOf, compileNamed } from '../programmes.ts';
import { type Step, withProgress } from '../progress.ts';
import { readText } from '../standard_input.ts';
import { counted } from '../table.ts';
import { readCsvTable } from './csv_table.ts';
import { formatOf, type Row, type Table, valueOf } from './table.ts';
import { readYamlTable } from './yaml_table.ts';

export type ImportOptions = NewItem & Values<readonly [typeof dryRun]>;

/** A column whose values must differ from row to row. */
export interface Unique {
  readonly name: string;
  /** The form in which values are compared, if not as written. */
  readonly spelling?: (text: string) => string;
  /** For a secret: the words that messages use instead of the value. */
  readonly words?: string;
  readonly hint?: string;
}

/** A row with its item. */
export interface Entry<Shape> extends Row {
  /** Of use where the row has no complaints. */
  readonly item: Shape;
}

export interface Import<Shape> {
  readonly noun: 'client' | 'member';
  readonly fields: Fields<Shape>;
  /** Columns besides the fields: credentials. */
  readonly others: readonly Input[];
  readonly unique: readonly Unique[];
  readonly mostBytes: number;
  /** The first line of a CSV file, for hints. */
  readonly example: string;
  /** Faults of a table whose rows have none. */
  tableFaults?(table: Table): readonly string[];
  /** Errors of a row besides those of its inputs. */
  errors(row: Entry<Shape>): readonly Fault[];
  /** Errors of a row that the store does not have yet. */
  newErrors?(row: Entry<Shape>): readonly Fault[];
  /** Faults of a row without errors. */
  judge(row: Entry<Shape>): readonly Fault[];
  /** Warnings given once for all rows. */
  warnings?(rows: readonly Row[]): readonly Fault[];
  /** What keeps a row out of the store, or that it is there already: imports may be repeated. */
  compare(open: OpenStore, row: Entry<Shape>): Promise<readonly Fault[] | 'unchanged'>;
  /** Adds all, or none and returns the taken ones; calls `step` after each slow item. */
  add(open: OpenStore, rows: readonly Entry<Shape>[], step: Step): Promise<readonly string[]>;
}

/**
 * Imports the items that the store does not have yet; `dryRun` only counts them. Resolves to the
 * programme.
 */
export async function importFile<Shape>(
  path: string,
  options: ImportOptions,
  describe: (programme: Programme) => Import<Shape>,
): Promise<Programme> {
  const { dryRun = false } = options;
  const config = configOf(options);
  const programme = compileNamed(config, options.programme);
  expectDurableStore(config);
  const spec = describe(programme);
  const table = await readTable(path, spec);
  const { good, faults } = judgeTable(table, path, spec, programme);
  const items = `${spec.noun}s`;
  const settle = async (open?: OpenStore): Promise<readonly Entry<Shape>[]> => {
    const compare = (step: Step): ReturnType<typeof compareAll<Shape>> =>
      compareAll(open, spec, good, step);
    const what = `looking for ${items} in the store`;
    const { fresh, conflicts } = await withProgress(what, good.length, compare);
    report([...faults, ...fresh.flatMap((row) => spec.newErrors?.(row) ?? [])], conflicts);
    if (dryRun || open === undefined) return fresh;
    const add = (step: Step): Promise<readonly string[]> => spec.add(open, fresh, step);
    const taken = await withProgress(`importing ${items}`, fresh.length, add);
    if (taken.length === 0) return fresh;
    throw failed(
      `nothing is imported: ${taken.join(', ')}, or what it is found by, came to be taken in ${programme.id} meanwhile`,
    );
  };
  // A dry run makes no store; a store that does not exist holds no item.
  const { length: imported } =
    dryRun && !storeExists(config) ? await settle() : await withStore(config, settle);
  const unchanged = good.length - imported;
  const view = { programme: programme.id, imported, unchanged, dry_run: dryRun };
  const rows = counted(imported, spec.noun);
  const rest = unchanged === 0 ? '' : `; ${unchanged} of the file are in the store already`;
  const done = imported === 1 ? 'is imported' : 'are imported';
  const text = dryRun
    ? `${rows} would be imported into ${programme.id}${rest}; nothing is written`
    : `${rows} ${done} into ${programme.id}${rest}`;
  await printResult(options, view, text);
  return programme;
}

function columnsOf<Shape>({
  fields,
  others,
}: Pick<Import<Shape>, 'fields' | 'others'>): readonly Input[] {
  return [...others, ...newInputsOf(fields)];
}

async function readTable<Shape>(path: string, spec: Import<Shape>): Promise<Table> {
  const { noun, mostBytes, example } = spec;
  const inputs = columnsOf(spec);
  const format = formatOf(path);
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
    const text = readSourceFile(path, mostBytes);
    if ((statSync(path).mode & 0o077) !== 0) {
      warn(`${file} holds secrets, and others can read it: chmod 600 it, and delete it afterwards`);
    }
    return text;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw wrongUsage(`${file} ${error.message}`);
  }
}

/** The rows without errors, and the faults of the file. */
function judgeTable<Shape>(
  table: Table,
  path: string,
  spec: Import<Shape>,
  programme: Programme,
): { readonly good: readonly Entry<Shape>[]; readonly faults: readonly Fault[] } {
  const { noun, fields, others, unique } = spec;
  const places = unique.map((one) => ({ ...one, lines: new Map<string, number>() }));
  const required = columnsOf(spec).filter(
    (one) => one.required === true && table.columns.has(one.name),
  );
  const judged = table.rows.map((one) => {
    const row = { ...one, item: readFields(fields, one.given) };
    const errors = [
      ...places.flatMap((place) => repetition(row, place)),
      ...required
        .filter(({ name }) => !row.given.has(name))
        .map(({ name }) => errorAt(row.at, [], `this ${noun} has no ${name}`)),
      ...complaintsOf(fields, row.given, programme, others).map(({ at = row.at, message }) =>
        errorAt(at, [], message),
      ),
      ...spec.errors(row),
    ];
    return { row, faults: errors.length > 0 ? errors : spec.judge(row) };
  });
  const empty = table.rows.length === 0 ? [`there is no ${noun} in this file`] : [];
  const [whole] = table.faults.length > 0 ? [] : [...(spec.tableFaults?.(table) ?? []), ...empty];
  return {
    good: judged.filter(({ faults }) => countErrors(faults) === 0).map(({ row }) => row),
    faults: [
      ...table.faults,
      ...(whole === undefined ? [] : [wholeFault(nameOf(path), whole)]),
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

/** The rows that the store does not have yet, and what keeps rows out. */
async function compareAll<Shape>(
  open: OpenStore | undefined,
  spec: Import<Shape>,
  rows: readonly Entry<Shape>[],
  step: Step,
): Promise<{ readonly fresh: readonly Entry<Shape>[]; readonly conflicts: readonly Fault[] }> {
  if (open === undefined) return { fresh: rows, conflicts: [] };
  const fresh: Entry<Shape>[] = [];
  const conflicts: Fault[] = [];
  for (const row of rows) {
    step();
    const found = await spec.compare(open, row);
    if (found === 'unchanged') continue;
    fresh.push(row);
    conflicts.push(...found);
  }
  return { fresh, conflicts };
}

/** Prints the faults of file and store; ends the command if one is an error. */
function report(inFile: readonly Fault[], inStore: readonly Fault[]): void {
  const faults = [...inFile, ...inStore].toSorted(byPosition);
  for (const fault of faults) say(formatFault(fault));
  const errors = countErrors(faults);
  if (errors === 0) return;
  // Conflicts with the store alone are no wrong usage: the file itself is right.
  const exitCode = errors === inStore.length ? exitCodes.failed : exitCodes.usage;
  throw new CommandError(exitCode, `nothing is imported: ${counted(errors, 'error')}`);
}

function countErrors(faults: readonly Fault[]): number {
  return faults.filter(({ severity }) => severity === 'error').length;
}
