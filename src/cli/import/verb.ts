// Owns what the verbs that import share: all of a file or none, a dry run, and what is told of it.

import { statSync } from 'node:fs';

import type { Config } from '../../config/config.ts';
import { shownPath } from '../../config/programme_files.ts';
import { byPosition, type Fault, formatFault } from '../../lib/fault.ts';
import { readTextFile, UnreadableFile } from '../../lib/read_file.ts';
import type { Programme } from '../../programme/programme.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { type OpenStore, storeExists, withStore } from '../open_store.ts';
import { type OutputOptions, print, printJson, warn, say } from '../output.ts';
import { type Step, withProgress } from '../progress.ts';
import { readText } from '../standard_input.ts';

export interface ImportOptions extends OutputOptions {
  readonly config: string;
  readonly programme: string;
  readonly dryRun?: boolean;
}

/** What the store says to the rows of a file. */
export interface Standing<Row> {
  /** Those that it has exactly like this: an import that was cut off can be run again. */
  readonly unchanged: ReadonlySet<Row>;
  readonly faults: readonly Fault[];
}

export interface Import<Row> {
  readonly rows: readonly Row[];
  /** What is wrong with the file. */
  readonly faults: readonly Fault[];
  /** What the rows are, one and many. */
  readonly noun: readonly [string, string];
  /** Both call `step` after each row. */
  readonly findStanding: (open: OpenStore, step: Step) => Promise<Standing<Row>>;
  readonly addAll: (open: OpenStore, fresh: readonly Row[], step: Step) => Promise<void>;
}

/** Imports what the store does not have yet, or with `dryRun` tells how much that would be. */
export async function importRows<Row>(
  config: Config,
  { id }: Programme,
  { rows, faults, noun, findStanding, addAll }: Import<Row>,
  { json, dryRun = false }: ImportOptions,
): Promise<void> {
  const settle = async (open?: OpenStore): Promise<ImportCount> => {
    const [, many] = noun;
    const standing =
      open &&
      (await withProgress(`looking for ${many} in the store`, rows.length, (step) =>
        findStanding(open, step),
      ));
    report(faults, standing?.faults ?? []);
    const fresh = rows.filter((row) => standing?.unchanged.has(row) !== true);
    if (!dryRun && open !== undefined) {
      await withProgress(`importing ${many}`, fresh.length, (step) => addAll(open, fresh, step));
    }
    return { imported: fresh.length, unchanged: rows.length - fresh.length };
  };
  // A dry run makes no store, and there is nobody in one that is still to be made.
  const count = dryRun && !storeExists(config) ? await settle() : await withStore(config, settle);
  if (json === true) return printJson({ programme: id, ...count, dry_run: dryRun });
  return print(told(id, noun, count, dryRun));
}

/** What faults call a file: `-` is standard input. */
export function importName(path: string): string {
  return path === '-' ? '<stdin>' : shownPath(path);
}

/** @throws CommandError for a file that cannot be read. */
export async function readImportFile(path: string, mostBytes: number): Promise<string> {
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

interface ImportCount {
  readonly imported: number;
  readonly unchanged: number;
}

/** Prints what was found in the file and in the store; ends the command if any of it is an error. */
function report(inFile: readonly Fault[], inStore: readonly Fault[]): void {
  const faults = [...inFile, ...inStore].toSorted(byPosition);
  for (const fault of faults) say(formatFault(fault));
  const errors = faults.filter(({ severity }) => severity === 'error').length;
  if (errors === 0) return;
  // A file that is right, and comes too late, is no wrong usage.
  const exitCode = errors === inStore.length ? exitCodes.failed : exitCodes.usage;
  const message = `nothing is imported: ${errors} ${errors === 1 ? 'error' : 'errors'}`;
  throw new CommandError(exitCode, message);
}

function told(
  programme: string,
  [one, many]: readonly [string, string],
  { imported, unchanged }: ImportCount,
  dryRun: boolean,
): string {
  const rows = `${imported} ${imported === 1 ? one : many}`;
  const rest = unchanged === 0 ? '' : `; ${unchanged} of the file are there already, like this`;
  if (dryRun) return `${rows} would be imported into ${programme}${rest}; nothing is written`;
  return `${rows} ${imported === 1 ? 'is' : 'are'} imported into ${programme}${rest}`;
}
