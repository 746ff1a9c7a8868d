// Owns the selection of keys for the commands about them: of which programmes, and of which kind.

import type { Config } from '../../config/config.ts';
import { type Fault, FaultsError, orFaults } from '../../lib/fault.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { KeyRecord } from '../../oauth/signing_key.ts';
import type { Programme } from '../../programme/programme.ts';
import { type KeyRules, signingKeyRules, tokenKeyRules } from '../../token/key_rules.ts';
import { type CommandError, failed } from '../exit.ts';
import type { VerbOptions } from '../output.ts';
import { compileNamed, selectProgrammes } from '../programmes.ts';

export const shownKinds = ['signing', 'token'] as const;
export type ShownKind = (typeof shownKinds)[number];

export interface KeyOptions extends VerbOptions {
  /** If left out: all programmes. */
  readonly programme?: string;
  /** If left out: keys of both kinds. */
  readonly kind?: ShownKind;
}

/** The keys of one kind of a programme, whether it has any or not. */
export interface KeyLine {
  readonly id: ProgrammeId;
  readonly rules: KeyRules;
}

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

/** The keys of a programme, of one kind or of both. */
export function keyLines(programme: Programme, kind?: ShownKind): readonly KeyLine[] {
  return [signingKeyRules(programme), tokenKeyRules(programme)]
    .filter((rules) => kind === undefined || shownKind(rules) === kind)
    .map((rules) => ({ id: programme.id, rules }));
}

export function shownKind({ kind }: Pick<KeyRules, 'kind'>): ShownKind {
  return kind === 'token_key' ? 'token' : 'signing';
}

/** Whether the programme makes tokens with these keys, not only verifies some of former times. */
export function isInUse({ rules }: KeyLine): boolean {
  return rules.kind === 'token_key' || rules.algorithm !== undefined;
}

export function signsNothing({ programme: name = '' }: KeyOptions): CommandError {
  return failed(`${name} signs no tokens: they are opaque (tokens.access.format)`);
}

export function nameOf({ programme, algorithm, kid }: KeyRecord): string {
  return `${programme}: the ${algorithm ?? 'token'} key ${kid}`;
}
