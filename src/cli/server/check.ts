// Owns the verb `check`: every fault of a configuration and its programmes, at its place.

import { dirname, resolve } from 'node:path';

import { readConfig } from '../../config/config.ts';
import { withCredentials } from '../../config/directory_credentials.ts';
import {
  type ProgrammeFile,
  readProgrammeFile,
  readProgrammeFolder,
  shownPath,
} from '../../config/programme_files.ts';
import { nodeAt } from '../../lib/document.ts';
import { byPosition, type Fault, FaultsError, formatFault } from '../../lib/fault.ts';
import { readTextFile } from '../../lib/read_file.ts';
import { maxYamlBytes, parseYaml } from '../../lib/yaml/yaml.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { type OutputOptions, print, printJson } from '../output.ts';
import { mountFaults, twinFaults } from './mount_faults.ts';

export interface CheckOptions extends OutputOptions {
  readonly config: string;
}

/** What a look at files leaves out. */
const alonePart = 'no configuration was looked at: jetway check without a file does';

/** What was looked at, and what was found. */
interface Findings {
  readonly files: readonly ProgrammeFile[];
  readonly faults: readonly Fault[];
}

/** `jetway check [FILE…]`. Ends with exit code 3 on any error, 0 on warnings alone. */
export async function check(paths: readonly string[], options: CheckOptions): Promise<void> {
  const { files, faults: others } =
    paths.length > 0 ? checkFiles(paths) : checkConfiguration(options.config);
  const faults = [
    ...others,
    ...files.flatMap(({ faults: own }) => own),
    ...mountFaults(files),
    ...twinFaults(files),
  ].toSorted(byPosition);
  const errors = faults.filter(({ severity }) => severity === 'error').length;
  if (options.json === true) await printJson(faults.map(viewFault));
  else {
    const alone = paths.length > 0 ? `; ${alonePart}` : '';
    const last = summary(files.length, errors, faults) + alone;
    await print([...faults.map(formatFault), last].join('\n'));
  }
  // What is wrong has been told.
  if (errors > 0) throw new CommandError(exitCodes.configuration, '');
}

function checkFiles(paths: readonly string[]): Findings {
  const distinct = new Map(paths.map((path) => [resolve(path), path]));
  return { files: [...distinct.values()].map(readProgrammeFile), faults: [] };
}

/** A fault in the configuration hides none in the programmes, as far as it says where they are. */
function checkConfiguration(path: string): Findings {
  try {
    return checkFolder(readConfig(path).programmes);
  } catch (error) {
    if (!(error instanceof FaultsError)) throw error;
    const folder = folderNamedIn(path);
    const { files, faults } = folder === undefined ? nothing : checkFolder(folder);
    return { files, faults: [...error.faults, ...faults] };
  }
}

const nothing: Findings = { files: [], faults: [] };

function checkFolder(folder: string): Findings {
  try {
    // Files alone may be checked where the secrets are not; a configuration is checked to be served.
    const files = readProgrammeFolder(folder).map(withCredentials);
    return { files, faults: files.length === 0 ? [emptyFolder(folder)] : [] };
  } catch (error) {
    if (!(error instanceof FaultsError)) throw error;
    return { files: [], faults: error.faults };
  }
}

/** `serve` would have nothing to serve. */
function emptyFolder(folder: string): Fault {
  return {
    severity: 'error',
    at: { file: shownPath(folder), line: 1, column: 1 },
    path: 'programmes',
    message: 'there is no programme file in this folder',
    hint: 'their names end with .yaml',
  };
}

/** The folder of programmes that a configuration with faults names, if it can be read at all. */
function folderNamedIn(path: string): string | undefined {
  try {
    const { root } = parseYaml(path, readTextFile(path, maxYamlBytes));
    const node = root === undefined ? undefined : nodeAt(root, ['programmes']);
    return node?.kind === 'scalar' && typeof node.value === 'string'
      ? resolve(dirname(path), node.value)
      : undefined;
  } catch {
    // Why it cannot be read is among the faults already.
    return undefined;
  }
}

function summary(programmes: number, errors: number, faults: readonly Fault[]): string {
  return [
    count(programmes, 'programme'),
    count(errors, 'error'),
    count(faults.length - errors, 'warning'),
  ].join(', ');
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** A fault as JSON output has it; without a hint that is null, so that its shape is one. */
function viewFault({ severity, at, path, message, hint }: Fault): object {
  const { file, line, column } = at;
  return { severity, file, line, column, path, message, hint: hint ?? null };
}
