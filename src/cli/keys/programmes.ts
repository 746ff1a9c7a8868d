// Owns the selection of programmes for commands about signing keys, with their key rules.

import type { Config } from '../../config/config.ts';
import { type Fault, FaultsError } from '../../lib/fault.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { SigningKeyRecord } from '../../oauth/signing_key.ts';
import type { Store } from '../../store/contract.ts';
import { type KeyRules, longestSignedToken, type SigningRules } from '../../token/key_rotation.ts';
import { CommandError, exitCodes } from '../exit.ts';
import type { VerbOptions } from '../output.ts';
import { loadCompiled, selectProgrammes } from '../programmes.ts';

export interface KeyOptions extends VerbOptions {
  /** If left out: all programmes that sign tokens. */
  readonly programme?: string;
}

/** A programme that signs tokens or has signed some, so that it may have keys. */
export interface KeyedProgramme {
  readonly id: ProgrammeId;
  readonly rules: KeyRules;
}

export interface SigningProgramme extends KeyedProgramme {
  readonly rules: SigningRules;
}

/**
 * Reports errors in programme files only after `act`: the keys of other programmes may be urgent.
 */
export async function forProgrammes(
  config: Config,
  { programme: name }: KeyOptions,
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

/** Refuses a named programme that neither signs tokens nor has keys. */
export async function expectKeys(
  store: Store,
  programmes: readonly KeyedProgramme[],
  options: KeyOptions,
): Promise<void> {
  if (options.programme === undefined || programmes.some(isSigning)) return;
  const keys = await Promise.all(programmes.map(({ id }) => store.list('signing_key', id)));
  if (keys.flat().length === 0) throw signsNothing(options);
}

export function signsNothing({ programme: name = '' }: KeyOptions): CommandError {
  return new CommandError(
    exitCodes.failed,
    `${name} signs no tokens: they are opaque (tokens.access.format)`,
  );
}

export function nameOf({ programme, algorithm, kid }: SigningKeyRecord): string {
  return `${programme}: the ${algorithm} key ${kid}`;
}

function keyed(config: Config, id: ProgrammeId): KeyedProgramme {
  const { programme } = loadCompiled(config, id);
  const longestToken = longestSignedToken(programme);
  if (!programme.signsTokens) return { id, rules: { longestToken } };
  return { id, rules: { algorithm: programme.access.algorithm, longestToken } };
}
