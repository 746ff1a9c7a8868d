// Owns the verbs that all kinds share, made from a kind's description.

import type { Item } from '../../store/kinds.ts';
import { setItem, setStatus, removeItem } from '../entities/change.ts';
import { setOptions } from '../entities/fields.ts';
import type { ChangeableKind, Kind, Noun } from '../entities/kind.ts';
import { listItems, listOptions, showItem } from '../entities/show.ts';
import { option, type Verb } from './grammar.ts';

interface More extends Partial<Pick<Verb, 'details' | 'argument' | 'options'>> {
  /** The options of the example, after the item's name. */
  readonly example?: string;
}

type Run = (name: string, options: never) => Promise<void>;

/** A verb about one existing item. */
export function verbAbout<N extends Noun>(
  { noun, argument, example }: Kind<N>,
  verb: string,
  summary: string,
  run: Run,
  { example: tail, options, ...more }: More = {},
): Verb {
  const itsProgramme = option(
    '--programme <name>',
    `its programme; needed where several have such a ${noun}`,
  );
  return {
    words: `${noun} ${verb}`,
    summary,
    argument,
    reads: 'store',
    json: true,
    ...more,
    options: [itsProgramme, ...(options ?? [])],
    example: ['jetway', noun, verb, example, tail ?? []].flat().join(' '),
    run,
  };
}

export function showVerb<N extends Noun>(kind: Kind<N>, summary: string, more?: More): Verb {
  return verbAbout(kind, 'show', summary, (name, options) => showItem(kind, name, options), more);
}

export function removeVerb<N extends Noun>(
  kind: Kind<N>,
  summary: string,
  yes = 'yes, for good',
): Verb {
  return verbAbout(kind, 'remove', summary, (name, options) => removeItem(kind, name, options), {
    options: [option('--yes', yes)],
    example: '--yes',
  });
}

export function statusVerbs<N extends Noun>(
  kind: Kind<N>,
  disable: string,
  enable: string,
): readonly Verb[] {
  return [
    verbAbout(kind, 'disable', disable, (name, options) =>
      setStatus(kind, name, 'disabled', options),
    ),
    verbAbout(kind, 'enable', enable, (name, options) => setStatus(kind, name, 'active', options)),
  ];
}

export function setVerb<N extends Noun, Name extends keyof Item<N>>(
  kind: ChangeableKind<N, Name>,
  summary: string,
  { options = [], ...more }: More,
): Verb {
  const { fields, alsoSets } = kind;
  const also = alsoSets === undefined ? [] : [alsoSets.option];
  return verbAbout(kind, 'set', summary, (name, given) => setItem(kind, name, given), {
    options: [...setOptions(fields), ...also, ...options],
    ...more,
  });
}

export function listVerb<N extends Noun>(
  kind: Kind<N>,
  { options = listOptions, example = '', ...texts }: Pick<Verb, 'summary'> & More,
): Verb {
  return {
    words: `${kind.noun} list`,
    ...texts,
    reads: 'store',
    json: true,
    options,
    example: `jetway ${kind.noun} list ${example}`.trimEnd(),
    run: (given: never) => listItems(kind, given),
  };
}

/** Verbs with a required `--programme`. */
export function programmeVerb(verb: Omit<Verb, 'reads' | 'json'>, programme: string): Verb {
  const ofProgramme = option('--programme <name>', programme, { required: true });
  return { ...verb, reads: 'store', json: true, options: [ofProgramme, ...(verb.options ?? [])] };
}

export function importVerb<N extends Noun>(
  { noun }: Kind<N>,
  programme: string,
  { options = [], ...verb }: Pick<Verb, 'summary' | 'details' | 'argument' | 'options' | 'run'>,
): Verb {
  return programmeVerb(
    {
      words: `${noun} import`,
      ...verb,
      options: [option('--dry-run', 'check everything and add nothing'), ...options],
      example: `jetway ${noun} import ${noun}s.csv --programme my-club --dry-run`,
      exits: { 1: 'failed; what the file brings is there already, and not like this' },
    },
    programme,
  );
}
