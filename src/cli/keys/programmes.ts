// Owns which programmes a command about signing keys is for, and what decides about their keys.

import type { Config } from '../../config/config.ts';
import { type Fault, FaultsError } from '../../lib/fault.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { type KeyRules, longestSignedToken, type SigningRules } from '../../token/key_rotation.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { loadCompiled, selectProgrammes } from '../programmes.ts';

export interface KeySelection {
  /** The programme; without it, all that sign tokens. */
  readonly programme?: string;
}

/** A programme that may have keys: it signs tokens, or has done so. */
export interface KeyedProgramme {
  readonly id: ProgrammeId;
  readonly rules: KeyRules;
}

/** A programme that signs tokens. */
export interface SigningProgramme extends KeyedProgramme {
  readonly rules: SigningRules;
}

/**
 * Does something for each programme selected. One whose file has errors is told of once the others
 * are done: theirs may be urgent.
 */
export async function forProgrammes(
  config: Config,
  { programme: name }: KeySelection,
  act: (programmes: readonly KeyedProgramme[]) => Promise<void>,
): Promise<void> {
  const faults: Fault[] = [];
  const programmes: KeyedProgramme[] = [];
  for (const id of selectProgrammes(config, name)) {
    try {
      programmes.push(keyed(config, id));
    } catch (error) {
      if (!(error instanceof FaultsError)) throw error;
      faults.push(...error.faults);
    }
  }
  if (programmes.length > 0 || faults.length === 0) await act(programmes);
  if (faults.length > 0) throw new FaultsError(faults);
}

export function isSigning(programme: KeyedProgramme): programme is SigningProgramme {
  return programme.rules.algorithm !== undefined;
}

/** The refusal of what was asked of a programme by name that has nothing to do with keys. */
export function signsNothing({ programme: name = '' }: KeySelection): CommandError {
  return new CommandError(
    exitCodes.failed,
    `${name} signs no tokens: they are opaque (tokens.access.format)`,
  );
}

function keyed(config: Config, id: ProgrammeId): KeyedProgramme {
  const { programme } = loadCompiled(config, id);
  const longestToken = longestSignedToken(programme);
  if (!programme.signsTokens) return { id, rules: { longestToken } };
  return { id, rules: { algorithm: programme.access.algorithm, longestToken } };
}
