// Owns finding and reading the programme files of a folder.

import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { errorAt, type Fault, FaultsError } from '../lib/fault.ts';
import { readFileInside, readTextFile, UnreadableFile } from '../lib/read_file.ts';
import { maxYamlBytes } from '../lib/yaml/yaml.ts';
import { loadProgramme, type LoadResult, withLogos } from '../programme/language/load.ts';
import { unreadable } from './config.ts';

export interface ProgrammeFile extends LoadResult {
  readonly file: string;
}

/** Loads every `*.yaml` of a folder, in order of name; throws `FaultsError` without the folder. */
export function readProgrammeFolder(folder: string): readonly ProgrammeFile[] {
  return listProgrammeFiles(folder).map(readProgrammeFile);
}

/** Paths of the programme files, in order of name, whether they load or not. */
export function listProgrammeFiles(folder: string): readonly string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    const at = { file: shownPath(folder), line: 1, column: 1 };
    const { code } = error as NodeJS.ErrnoException;
    throw new FaultsError([
      errorAt(at, ['programmes'], `the folder of programmes cannot be read (${code ?? ''})`),
    ]);
  }
  return names
    .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.'))
    .toSorted()
    .map((name) => join(folder, name));
}

export function readProgrammeFile(path: string): ProgrammeFile {
  const file = shownPath(path);
  if (path.endsWith('.yml')) return { file, faults: [misnamed(file)] };
  try {
    const result = loadProgramme(file, readTextFile(path, maxYamlBytes));
    const folder = dirname(path);
    return { file, ...withLogos(result, (name, most) => readFileInside(folder, name, most)) };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return { file, faults: [unreadable(file, error)] };
  }
}

/** Reports the file instead of silently skipping it. */
function misnamed(file: string): Fault {
  const at = { file, line: 1, column: 1 };
  return errorAt(at, [], 'a programme file is named *.yaml', 'rename it');
}

export function shownPath(path: string): string {
  const local = relative(process.cwd(), path);
  return local === '' || local.startsWith('..') ? path : local;
}
