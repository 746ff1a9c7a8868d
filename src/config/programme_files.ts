// Owns finding and reading the programme files of a folder.

import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import type { ReadBeside } from '../language/logos.ts';
import { FaultsError } from '../lib/fault.ts';
import { readFileInside, readSourceFile, UnreadableFile } from '../lib/read_file.ts';
import { maxYamlBytes } from '../lib/yaml/yaml.ts';
import { loadProgramme, type LoadResult, withLogos } from '../rules/load.ts';
import { wholeFault } from './config.ts';

export interface ProgrammeFile extends LoadResult {
  readonly file: string;
}

/** What editors and package managers leave beside a file ends otherwise (FAULTS 17). */
const anyEnding = /\.ya?ml$/i;

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
    const { code = '' } = error as NodeJS.ErrnoException;
    const message = `the folder of programmes cannot be read (${code})`;
    throw new FaultsError([wholeFault(shownPath(folder), message, undefined, ['programmes'])]);
  }
  return names
    .filter((name) => anyEnding.test(name) && !name.startsWith('.'))
    .toSorted()
    .map((name) => join(folder, name));
}

export function readProgrammeFile(path: string): ProgrammeFile {
  const file = shownPath(path);
  if (anyEnding.test(path) && !path.endsWith('.yaml')) {
    // Reported instead of silently skipped. Two programmes would have one name if it were read.
    return { file, faults: [wholeFault(file, 'a programme file is named *.yaml', 'rename it')] };
  }
  try {
    const folder = dirname(path);
    const text = readSourceFile(path, maxYamlBytes);
    return programmeFileOf(file, text, (name, most) => readFileInside(folder, name, most));
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return { file, faults: [wholeFault(file, `the file ${error.message}`)] };
  }
}

/** The programme file of this text. @param read the logos beside it */
export function programmeFileOf(file: string, text: string, read: ReadBeside): ProgrammeFile {
  return { file, ...withLogos(loadProgramme(file, text), read) };
}

export function shownPath(path: string): string {
  const local = relative(process.cwd(), path);
  // From the root, a path without its slash would look as if it were of another folder.
  const isWhole = local === '' || local.startsWith('..') || `/${local}` === path;
  return isWhole ? path : local;
}
