// Owns reading a configuration's programmes: all of them, or the one that a command names.

import { basename, join } from 'node:path';

import { type Config, readConfig } from '../config/config.ts';
import {
  listProgrammeFiles,
  type ProgrammeFile,
  readProgrammeFile,
} from '../config/programme_files.ts';
import { FaultsError, quote } from '../lib/fault.ts';
import { didYouMean } from '../lib/suggest.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { Programme } from '../programme/programme.ts';
import { compileLoaded, type LoadedProgramme } from '../rules/load.ts';
import { wrongUsage } from '../server/exit.ts';

/** All programmes of the configuration, also those whose files have errors. */
function programmeIds(config: Config): readonly ProgrammeId[] {
  return listProgrammeFiles(config.programmes)
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => basename(path, '.yaml') as ProgrammeId);
}

/** Checks a programme's name; the usage error lists all programmes. */
function expectProgramme(config: Config, name: string): ProgrammeId {
  const known = programmeIds(config);
  const id = known.find((one) => one === name);
  if (id !== undefined) return id;
  const list = known.length === 0 ? 'there is none' : `there are ${known.join(', ')}`;
  throw wrongUsage(`there is no programme ${quote(name)} (${didYouMean(name, known) ?? list})`);
}

/** The named programme, or all if none is named. */
export function selectProgrammes(config: Config, name: string | undefined): readonly ProgrammeId[] {
  return name === undefined ? programmeIds(config) : [expectProgramme(config, name)];
}

/**
 * Loads one programme; ignores faults of other files.
 * @throws FaultsError if its own file has errors
 */
export function loadNamed(config: Config, name: string): LoadedProgramme {
  const id = expectProgramme(config, name);
  const { loaded, faults } = fileOf(config, id);
  if (loaded === undefined) throw new FaultsError(faults);
  return loaded;
}

/** The file of a programme, with its faults. */
export function fileOf({ programmes }: Config, id: ProgrammeId): ProgrammeFile {
  return readProgrammeFile(join(programmes, `${id}.yaml`));
}

/** As `loadNamed`, compiled. */
export function compileNamed(config: Config, name: string): Programme {
  return compileLoaded(loadNamed(config, name), config.publicUrl);
}

/** As `compileNamed`; undefined if the programme's file has errors. */
export function compileIfGood(config: Config, id: ProgrammeId): Programme | undefined {
  const { loaded } = fileOf(config, id);
  return loaded && compileLoaded(loaded, config.publicUrl);
}

export function configOf(options: { readonly config: string }): Config {
  return readConfig(options.config);
}
