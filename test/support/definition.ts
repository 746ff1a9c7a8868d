// Owns loading the executive club's file with changes, for tests of what a file can say.

import type { Definition } from '../../src/language/definition.ts';
import { formatFault } from '../../src/lib/fault.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import { compileProgramme, type Programme } from '../../src/programme/programme.ts';
import { loadProgramme, type LoadResult } from '../../src/rules/load.ts';
import { publicUrl, shippedProgramme } from './jetway.ts';

/** What comes of loading the club's file with YAML laid over it. */
export function loadClub(...over: readonly string[]): LoadResult {
  return loadProgramme('executive-club.yaml', shippedProgramme('executive-club', ...over));
}

/** The definition of a file that loads. */
export function definitionOf(...over: readonly string[]): Definition {
  const { loaded, faults } = loadClub(...over);
  if (loaded === undefined) throw new Error(faults.map(formatFault).join('\n'));
  return loaded.definition;
}

export function programmeOf(...over: readonly string[]): Programme {
  return compileProgramme('executive-club' as ProgrammeId, definitionOf(...over), publicUrl);
}

/** Path and message of every fault of severity error. */
export function errorsOf(...over: readonly string[]): readonly string[] {
  const errors = loadClub(...over).faults.filter(({ severity }) => severity === 'error');
  return errors.map(({ path, message }) => `${path}: ${message}`);
}
