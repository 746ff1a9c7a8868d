// Owns making the verbs of a kind from its description and a row for each verb.

import type { ItemVerb, Kind, Noun } from '../entities/kind.ts';
import { option, type Verb } from './grammar.ts';

/** A row of a verb about one existing item. */
interface ItemRow<N extends Noun> extends Pick<Verb, 'summary' | 'details' | 'options'> {
  readonly verb: string;
  /** The options of the example, after the item's name. */
  readonly example?: string;
  readonly run: ItemVerb<N, never>;
}

export function itemVerbs<N extends Noun>(
  kind: Kind<N>,
  rows: readonly ItemRow<N>[],
): readonly Verb[] {
  const { noun, argument } = kind;
  const description = `its programme; needed if several programmes have such a ${noun}`;
  return rows.map(({ verb, options = [], example, run, ...texts }) => ({
    words: `${noun} ${verb}`,
    operands: [argument],
    reads: 'store',
    ...texts,
    options: [option('--programme <name>', description), ...options],
    example: ['jetway', noun, verb, kind.example, example ?? []].flat().join(' '),
    run: (name: string, given: never) => run(kind, name, given),
  }));
}

/** What the codes of a list mean. */
export const listExits: NonNullable<Verb['exits']> = {
  1: 'failed; some are damaged, and are told after all others',
};

/** Verbs with a required `--programme`. */
export function programmeVerb(verb: Omit<Verb, 'reads'>, programme: string): Verb {
  const ofProgramme = option('--programme <name>', programme, { required: true });
  return { ...verb, reads: 'store', options: [ofProgramme, ...(verb.options ?? [])] };
}

export function importVerb(
  noun: Noun,
  programme: string,
  { options = [], ...verb }: Omit<Verb, 'words' | 'example'>,
): Verb {
  return programmeVerb(
    {
      words: `${noun} import`,
      ...verb,
      options: [option('--dry-run', 'check everything and add nothing'), ...options],
      example: `jetway ${noun} import ${noun}s.csv --programme my-club --dry-run`,
      exits: { 1: 'failed; the store has an item of the file with other values' },
    },
    programme,
  );
}
