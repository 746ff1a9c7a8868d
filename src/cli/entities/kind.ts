// Owns what a kind of registered thing is to the command line, as data; and finding and changing the
// one item that a command names. Which kinds there are is said in the *_kind.ts files.

import type { Config } from '../../config/config.ts';
import { quote } from '../../lib/fault.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { Store } from '../../store/contract.ts';
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

export interface Registered {
  readonly programme: ProgrammeId;
  readonly status: 'active' | 'disabled';
}

/** What a verb knows beside the item. */
export interface Surroundings extends OpenStore {
  readonly config: Config;
}

/** A kind of registered thing. */
export interface Kind<Item extends Registered> {
  readonly noun: 'client' | 'gateway' | 'member';
  /** The argument that names an item, for help. */
  readonly argument: readonly [name: string, description: string];
  /** An item's name, for examples. */
  readonly example: string;
  /** What an item is named by: an identifier, or a username. */
  nameOf(item: Item): string;
  /** A name as sentences have it. */
  inWords(name: string): string;
  find(store: Store, programme: ProgrammeId, name: string): Promise<Item | undefined>;
  /** In order of creation. */
  list(store: Store, programme: ProgrammeId): Promise<readonly Item[]>;
  change(store: Store, item: Item, change: (item: Item) => Item): Promise<Item | undefined>;
  /** False where there is none any more. */
  remove(open: OpenStore, item: Item): Promise<boolean>;
  /** Everything but digests and hashes; `show` and `list` may add what they alone tell. */
  show(around: Surroundings, item: Item, verb?: 'show' | 'list'): Promise<readonly Shown[]>;
  /** What `show` warns of. */
  warnings?(item: Item): readonly string[];
  /** Columns of `list`: headings, and what stands below them by keys of JSON. */
  readonly columns: Readonly<Record<string, string>>;
  /** Whether `list` is to have an item, by options of this kind alone. */
  matches?(open: OpenStore, item: Item, options: Typed): Promise<boolean>;
  readonly removal: {
    /** What is lost, for who has not said `--yes`. */
    readonly loss: string;
    /** What is said to be done, after `client X of PROGRAMME is`. */
    readonly done: string;
    readonly json: (item: Item) => object;
  };
}

/** A kind whose items `set` can change. */
export interface ChangeableKind<
  Item extends Registered & Shape,
  Shape extends object,
> extends Kind<Item> {
  readonly fields: Fields<Shape>;
  /** An option of `set` whose value is read from standard input. */
  readonly alsoSets?: { readonly option: OptionSpec; read(): Promise<Partial<Item>> };
  /** Loads what changes of an item are held against, and judges what was given by it. */
  judgeChange(around: Surroundings, item: Item, options: Typed): Promise<ChangeJudge<Item>>;
}

/** Returns what is to be warned of; throws a CommandError for an item that cannot be like this. */
export type ChangeJudge<Item> = (after: Item) => readonly string[];

/** `client partnerapi-12345`, `member "ann"`. */
export function called<Item extends Registered>(kind: Kind<Item>, name: string): string {
  return `${kind.noun} ${kind.inWords(name)}`;
}

/** Opens the store and finds the item, for a verb about it. */
export function withItem<Item extends Registered, Result>(
  kind: Kind<Item>,
  name: string,
  options: Selection,
  use: (around: Surroundings, item: Item) => Promise<Result>,
): Promise<Result> {
  const config = configOf(options);
  return withStore(config, async (open) => {
    const around = { ...open, config };
    return use(around, await select(kind, around, name, options));
  });
}

/** Finds the item; fails when no programme has such an item, or several and none is named. */
export async function select<Item extends Registered>(
  kind: Kind<Item>,
  { store, config }: Surroundings,
  name: string,
  { programme }: Pick<Selection, 'programme'>,
  tellApart = (programmes: readonly ProgrammeId[]): string =>
    `add --programme and one of ${programmes.join(', ')}`,
): Promise<Item> {
  const programmes = selectProgrammes(config, programme);
  const answers = await Promise.all(programmes.map((one) => kind.find(store, one, name)));
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
export function removedMeanwhile<Item extends Registered>(
  kind: Kind<Item>,
  item: Item,
): CommandError {
  const message = `the ${kind.noun} ${quote(kind.nameOf(item))} was removed by somebody else just now`;
  return new CommandError(exitCodes.failed, message);
}

/**
 * The item as it is after the change. The change may run twice, so it must depend on the item alone;
 * where it throws, nothing is changed.
 */
export async function changeItem<Item extends Registered>(
  kind: Kind<Item>,
  { store }: OpenStore,
  item: Item,
  change: (item: Item) => Item,
): Promise<Item> {
  const after = await kind.change(store, item, change);
  if (after === undefined) throw removedMeanwhile(kind, item);
  return after;
}
