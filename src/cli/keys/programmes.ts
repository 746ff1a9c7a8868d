// Owns the selection of keys for the commands about them: of which programmes, and of which kind.

import type { Config } from '../../config/config.ts';
import { type Fault, FaultsError, orFaults } from '../../lib/fault.ts';
import type { KeyRecord } from '../../oauth/signing_key.ts';
import { type CommandError, failed } from '../../server/exit.ts';
import { keyLines, type KeyLine } from '../../server/keys/lines.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { keyOptions } from '../grammar/rows.ts';
import { compileNamed, selectProgrammes } from '../programmes.ts';

export type KeyOptions = GivenWithConfig<typeof keyOptions>;

/**
 * Reports errors in programme files only after `act`: the keys of other programmes may be urgent.
 */
export async function forKeys(
  config: Config,
  { programme: name, kind }: Pick<KeyOptions, 'programme' | 'kind'>,
  act: (lines: readonly KeyLine[]) => Promise<void>,
): Promise<void> {
  const faults: Fault[] = [];
  const lines: KeyLine[] = [];
  for (const id of selectProgrammes(config, name)) {
    const programme = orFaults(faults, () => compileNamed(config, id));
    if (programme !== undefined) lines.push(...keyLines(programme, kind));
  }
  if (lines.length > 0 || faults.length === 0) await act(lines);
  if (faults.length > 0) throw new FaultsError(faults);
}

export function signsNothing({ programme: name = '', kind }: KeyOptions): CommandError {
  return failed(
    kind === 'identity'
      ? `${name} has no keys of identity tokens alone (id_token.algorithm)`
      : `${name} signs no tokens: they are opaque (tokens.access.format)`,
  );
}

export function noneSigns({ kind }: Pick<KeyOptions, 'kind'>): string {
  return kind === 'identity'
    ? 'no programme has keys of identity tokens alone'
    : 'no programme signs tokens';
}

export function nameOf({ programme, algorithm, kid }: KeyRecord): string {
  return `${programme}: the ${algorithm ?? 'token'} key ${kid}`;
}
