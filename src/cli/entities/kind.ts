// Owns what a kind of registered thing is to the command line, as data; and finding and changing the
// one item that a command names. Which kinds there are is said in the *_kind.ts files.

import type { Config } from '../../config/config.ts';
import { quote } from '../../lib/fault.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { Store } from '../../store/contract.ts';
import { type Id, type Item, kinds } from '../../store/kinds.ts';
import { CommandError, exitCodes } from '../exit.ts';
import type { OptionSpec } from '../grammar/grammar.ts';
import { type OpenStore, withStore } from '../open_store.ts';
import type { OutputOptions } from '../output.ts';
import { configOf, selectProgrammes } from '../programmes.ts';
import type { Fields, Typed } from './fields.ts';
import type { Shown } from './shown.ts';

/** Options of a verb about one item. */
export type Selection = OutputOptions &
  Typed & {
    readonly config: string;
    /** The programme; without it, the one programme that has such an item. */
    readonly programme?: string;
  };

/** The kinds of registered things that have verbs of their own, by their names in the store. */
export type Noun = 'client' | 'gateway' | 'member';

/** What a verb knows beside the item. */
export interface Surroundings extends OpenStore {
  readonly config: Config;
}

/** What the command line knows of a kind, beside what the store knows (store/kinds.ts). */
export interface Kind<N extends Noun> {
  readonly noun: N;
  /** The argument that names an item, for help. */
  readonly argument: readonly [name: string, description: string];
  /** An item's name, for examples. */
  readonly example: string;
  /** What an item is named by: an identifier, or a username. */
  nameOf(item: Item<N>): string;
  /** A name as sentences have it. */
  inWords(name: string): string;
  /** Finds an item by its name, where that is not its identifier alone. */
  find?(store: Store, programme: ProgrammeId, name: string): Promise<Item<N> | undefined>;
  /** Everything but digests and hashes; `show` and `list` may add what they alone tell. */
  show(around: Surroundings, item: Item<N>, verb?: 'show' | 'list'): Promise<readonly Shown[]>;
  /** What `show` warns of. */
  warnings?(item: Item<N>): readonly string[];
  /** Columns of `list`: headings, and what stands below them by keys of JSON. */
  readonly columns: Readonly<Record<string, string>>;
  /** Whether `list` is to have an item, by options of this kind alone. */
  matches?(open: OpenStore, item: Item<N>, options: Typed): Promise<boolean>;
  readonly removal: {
    /** What is lost: said where `--yes` is missing. */
    readonly loss: string;
    /** What is said to be done, after `client X of PROGRAMME is`. */
    readonly done: string;
    readonly json: (item: Item<N>) => object;
  };
}

/** A kind whose items `set` can change. */
export interface ChangeableKind<N extends Noun, Name extends keyof Item<N>> extends Kind<N> {
  readonly fields: Fields<Pick<Item<N>, Name>>;
  /** An option of `set` whose value is read from standard input. */
  readonly alsoSets?: { readonly option: OptionSpec; read(): Promise<Partial<Item<N>>> };
  /** Loads what changes of an item are held against, and judges what was given by it. */
  judgeChange(around: Surroundings, item: Item<N>, options: Typed): Promise<ChangeJudge<N>>;
}

/** Returns what is to be warned of; throws a CommandError for an item that cannot be like this. */
export type ChangeJudge<N extends Noun> = (after: Item<N>) => readonly string[];

/** `client partnerapi-12345`, `member "ann"`. */
export function called<N extends Noun>(kind: Kind<N>, name: string): string {
  return `${kind.noun} ${kind.inWords(name)}`;
}

/** Opens the store and finds the item, for a verb about it. */
export function withItem<N extends Noun, Result>(
  kind: Kind<N>,
  name: string,
  options: Selection,
  use: (around: Surroundings, item: Item<N>) => Promise<Result>,
): Promise<Result> {
  const config = configOf(options);
  return withStore(config, async (open) => {
    const around = { ...open, config };
    return use(around, await select(kind, around, name, options));
  });
}

/** Finds the item; fails when no programme has such an item, or several and none is named. */
export async function select<N extends Noun>(
  kind: Kind<N>,
  { store, config }: Surroundings,
  name: string,
  { programme }: Pick<Selection, 'programme'>,
  tellApart = (programmes: readonly ProgrammeId[]): string =>
    `add --programme and one of ${programmes.join(', ')}`,
): Promise<Item<N>> {
  const programmes = selectProgrammes(config, programme);
  const answers = await Promise.all(
    programmes.map(
      (one) => kind.find?.(store, one, name) ?? store.find(kind.noun, one, name as Id<N>),
    ),
  );
  const found = answers.filter((one) => one !== undefined);
  const [only, another] = found;
  if (only === undefined) {
    const where = programme === undefined ? '' : ` in ${programme}`;
    throw new CommandError(exitCodes.failed, `there is no ${kind.noun} ${quote(name)}${where}`);
  }
  if (another === undefined) return only;
  throw new CommandError(
    exitCodes.usage,
    `several programmes have a ${kind.noun} ${quote(name)}: ${tellApart(found.map((one) => one.programme))}`,
  );
}

/** The error for an item that was found and is not there any more. */
export function removedMeanwhile<N extends Noun>(kind: Kind<N>, item: Item<N>): CommandError {
  const message = `the ${kind.noun} ${quote(kind.nameOf(item))} was removed by somebody else just now`;
  return new CommandError(exitCodes.failed, message);
}

/**
 * The item as it is after the change. The change may run twice, so it must depend on the item alone;
 * where it throws, nothing is changed.
 */
export async function changeItem<N extends Noun>(
  kind: Kind<N>,
  { store }: OpenStore,
  item: Item<N>,
  change: (item: Item<N>) => Item<N>,
): Promise<Item<N>> {
  const id = kinds[kind.noun].idOf(item);
  const after = await store.change(kind.noun, item.programme, id, change);
  if (after === undefined) throw removedMeanwhile(kind, item);
  return after;
}
