// Owns which programmes a command about signing keys is for, and what decides about their keys.

import type { Config } from '../config/config.ts';
import { type Fault, FaultsError } from '../lib/fault.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { compileProgramme } from '../programme/compile.ts';
import { type KeyRules, longestSignedToken } from '../token/key_rotation.ts';
import { CommandError, exitCodes } from './exit.ts';
import { loadNamed, selectProgrammes } from './workplace.ts';

export interface KeySelection {
  /** The programme; without it, all that sign tokens. */
  readonly programme?: string;
}

/** A programme that signs tokens. */
export interface SigningProgramme {
  readonly id: ProgrammeId;
  readonly rules: KeyRules;
}

/**
 * Does something for each programme selected that signs tokens. One whose file has errors is told
 * of once the others are done: theirs may be urgent.
 */
export async function forSigningProgrammes(
  config: Config,
  { programme: name }: KeySelection,
  act: (programmes: readonly SigningProgramme[]) => Promise<void>,
): Promise<void> {
  const faults: Fault[] = [];
  const programmes: SigningProgramme[] = [];
  for (const id of selectProgrammes(config, name)) {
    try {
      programmes.push(...signing(config, id));
    } catch (error) {
      if (!(error instanceof FaultsError)) throw error;
      faults.push(...error.faults);
    }
  }
  if (name !== undefined && programmes.length === 0 && faults.length === 0) {
    throw new CommandError(
      exitCodes.failed,
      `${name} signs no tokens: they are opaque (tokens.access.format)`,
    );
  }
  if (programmes.length > 0 || faults.length === 0) await act(programmes);
  if (faults.length > 0) throw new FaultsError(faults);
}

function signing(config: Config, id: ProgrammeId): readonly SigningProgramme[] {
  const { definition } = loadNamed(config, id);
  const programme = compileProgramme(id, definition, config.publicUrl);
  if (!programme.signsTokens) return [];
  const longestToken = longestSignedToken(programme);
  return [{ id, rules: { algorithm: programme.access.algorithm, longestToken } }];
}
