// Owns making the verbs of a kind from its description and a row for each verb.

import type * as commonVerbs from '../entities/item_verbs.ts';
import type { ItemVerb, Kind, Noun } from '../entities/kind.ts';
import type { NounWords } from '../entities/nouns.ts';
import { type Verb } from './grammar.ts';
import { option } from './options.ts';
import { dryRun } from './rows.ts';

/** A kind of registered things, as help knows it; the rest is loaded once a verb is run. */
export interface LoadedKind<N extends Noun> extends NounWords<N> {
  readonly load: () => Promise<Kind<N>>;
}

/** A row of a verb about one existing item. */
interface ItemRow<N extends Noun> extends Pick<Verb, 'summary' | 'details' | 'options'> {
  readonly verb: string;
  /** The options of the example, after the item's name. */
  readonly example?: string;
  /** Loads what the verb runs. */
  readonly run: () => Promise<ItemVerb<N, never>>;
}

export function itemVerbs<N extends Noun>(
  { noun, argument, example: itemExample, load }: LoadedKind<N>,
  rows: readonly ItemRow<N>[],
): readonly Verb[] {
  const description = `its programme; needed if several programmes have such a ${noun}`;
  return rows.map(({ verb, options = [], example, run, ...texts }) => ({
    words: `${noun} ${verb}`,
    operands: [argument],
    reads: 'store',
    ...texts,
    options: [option('--programme <name>', description), ...options],
    example: ['jetway', noun, verb, itemExample, example ?? []].flat().join(' '),
    run: async (name: string, given: never) => (await run())(await load(), name, given),
  }));
}

type Common = typeof commonVerbs;

/** A verb that every kind has, loaded once it is run. */
export function common<Name extends keyof Common>(name: Name): () => Promise<Common[Name]> {
  return async () => (await import('../entities/item_verbs.ts'))[name];
}

/** What lists the items of a kind. */
export function listOf<N extends Noun>({ load }: LoadedKind<N>): Verb['run'] {
  const list = common('listItems');
  return async (options: commonVerbs.ListOptions) => (await list())(await load(), options);
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
      options: [dryRun, ...options],
      example: `jetway ${noun} import ${noun}s.csv --programme my-club --dry-run`,
      exits: { 1: 'failed; the store has an item of the file with other values' },
    },
    programme,
  );
}
