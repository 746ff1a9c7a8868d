// Owns making the verbs of a kind from its description and a row for each verb.

import type * as commonVerbs from '../entities/item_verbs.ts';
import type { ItemVerb, Kind } from '../entities/kind.ts';
import type { Noun, NounWords } from '../entities/nouns.ts';
import { type Verb } from './grammar.ts';
import { type GivenWithConfig, option, type OptionSpec } from './options.ts';
import { dryRun } from './rows.ts';

/** A kind of registered things, as help knows it; the rest is loaded once a verb is run. */
export interface LoadedKind<N extends Noun> extends NounWords<N> {
  readonly load: () => Promise<Kind<N>>;
}

/** A row of a verb about one existing item. */
interface ItemRow<N extends Noun, Rows extends readonly OptionSpec[]> extends Pick<
  Verb,
  'summary' | 'details'
> {
  readonly verb: string;
  readonly options?: Rows;
  /** The options of the example, after the item's name. */
  readonly example?: string;
  /** Loads what the verb runs. */
  readonly run: () => Promise<ItemVerb<N, GivenWithConfig<Rows>>>;
}

/** Makes verbs about one existing item; what they run is checked against their options. */
export function itemVerbOf<N extends Noun>({
  noun,
  argument,
  example: named,
  load,
}: LoadedKind<N>) {
  const programme = option(
    '--programme <name>',
    `its programme; needed if several programmes have such a ${noun}`,
  );
  return <const Rows extends readonly OptionSpec[] = readonly []>({
    verb,
    options,
    example = '',
    run,
    ...texts
  }: ItemRow<N, Rows>): Verb => ({
    words: `${noun} ${verb}`,
    operands: [argument],
    reads: 'store',
    ...texts,
    options: [programme, ...(options ?? [])],
    example: `jetway ${noun} ${verb} ${named} ${example}`.trimEnd(),
    run: async (name: string, given: GivenWithConfig<Rows>) =>
      (await run())(await load(), name, given),
  });
}

type Common = typeof commonVerbs;

/** A verb that every kind has, loaded once it is run. */
export function common<Name extends keyof Common>(name: Name): () => Promise<Common[Name]> {
  return async () => (await import('../entities/item_verbs.ts'))[name];
}

/** What lists the items of a kind. */
export function listOf<N extends Noun>({
  load,
}: LoadedKind<N>): (options: commonVerbs.ListOptions) => Promise<void> {
  const list = common('listItems');
  return async (options: commonVerbs.ListOptions) => (await list())(await load(), options);
}

/** What the codes of a list mean. */
export const listExits: NonNullable<Verb['exits']> = {
  1: 'failed; some are damaged, and are told after all others',
};

/** The option of verbs that make something. */
export function ofProgramme(description: string): typeof anyProgramme {
  return { ...anyProgramme, description };
}

const anyProgramme = option('--programme <name>', '', { required: true });

export function importVerb<const Rows extends readonly OptionSpec[]>(
  noun: Noun,
  programme: string,
  {
    options,
    ...verb
  }: Pick<Verb, 'summary' | 'details' | 'operands'> & {
    readonly options: Rows;
    readonly run: (
      path: string,
      options: GivenWithConfig<readonly [typeof anyProgramme, typeof dryRun, ...Rows]>,
    ) => Promise<void>;
  },
): Verb {
  return {
    words: `${noun} import`,
    reads: 'store',
    ...verb,
    options: [ofProgramme(programme), dryRun, ...options],
    example: `jetway ${noun} import ${noun}s.csv --programme my-club --dry-run`,
    exits: { 1: 'failed; the store has an item of the file with other values' },
  };
}
