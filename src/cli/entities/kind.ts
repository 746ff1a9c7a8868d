// Owns the description of a registered kind for the command line, finding and changing the item that
// a command names, and reading a new one. The *_kind.ts files hold the descriptions.

import type { Config } from '../../config/config.ts';
import { quote } from '../../lib/fault.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { Programme } from '../../programme/programme.ts';
import { type CommandError, failed, refuseUsage, wrongUsage } from '../../server/exit.ts';
import { type OpenStore } from '../../server/open_store.ts';
import type { Store } from '../../store/contract.ts';
import { type Id, type Item, kinds, type LookUp } from '../../store/kinds.ts';
import { DamagedItem } from '../../store/unusable.ts';
import type { OptionSpec } from '../grammar/options.ts';
import { expectDurableStore, type Surroundings, withStore } from '../open_store.ts';
import type { OutputOptions } from '../output.ts';
import { configOf, compileNamed, selectProgrammes } from '../programmes.ts';
import type { Columns } from '../table.ts';
import {
  complaintsOf,
  type Fields,
  givenIn,
  type Input,
  newInputsOf,
  readFields,
  type SomeFields,
  type Typed,
} from './fields.ts';
import type { Noun, NounWords } from './nouns.ts';
import type { Shown } from './shown.ts';

export type Selection = OutputOptions &
  Typed & {
    readonly config: string;
    /** If left out: the only programme that has such an item. */
    readonly programme?: string;
  };

/** What the command line adds to the store's description of a kind (store/kinds.ts). */
export interface Kind<N extends Noun> extends NounWords<N> {
  /** What verbs can give and change. */
  readonly fields: SomeFields<Item<N>>;
  /** An option of `set` whose value is read from standard input. */
  readonly alsoSets?: {
    readonly option: OptionSpec;
    read(): Promise<Partial<Item<N>>>;
    /** It ends all that the item's owner was issued so far, unless this option keeps that. */
    readonly keeping: OptionSpec;
    /** What is said of the end. */
    readonly ended: string;
  };
  /** An identifier, or a username. */
  nameOf(item: Item<N>): string;
  /** The name as sentences quote it. */
  inWords(name: string): string;
  /** Finds an item by its name, if that is not simply its identifier. */
  find?(store: Store, programme: ProgrammeId, name: string): Promise<Item<N> | undefined>;
  /** All values but digests and hashes; a few only for `show` or for `list`. */
  show(around: Surroundings, item: Item<N>, verb?: 'show' | 'list'): Promise<readonly Shown[]>;
  /** Loads what a programme's items are judged by; the result gives the warnings of `show` and `list`. */
  warnings?(around: Surroundings, programme: ProgrammeId): (item: Item<N>) => readonly string[];
  /** Of `list`. */
  readonly columns: Columns;
  /** Whether the kind's own options of `list` select the item. */
  matches?(open: OpenStore, item: Item<N>, options: Typed): Promise<boolean>;
  readonly removal: {
    /** What is lost: the error says it if `--yes` is missing. */
    readonly loss: string;
    /** The end of the sentence `client X of PROGRAMME is …`. */
    readonly done: string;
    /** What is shown of the item that is gone. */
    readonly json: readonly string[];
  };
  /** Loads what changes of an item are checked against; the result checks a changed item. */
  judgeChange?(around: Surroundings, item: Item<N>, options: Typed): Promise<ChangeJudge<N>>;
}

/** A verb about the item of that name. */
export type ItemVerb<N extends Noun, Options = Selection> = (
  kind: Kind<N>,
  name: string,
  options: Options,
) => Promise<void>;

/** Returns warnings; throws a CommandError if the item is not allowed. */
export type ChangeJudge<N extends Noun> = (after: Item<N>) => readonly string[];

export function called<N extends Noun>(kind: Kind<N>, name: string): string {
  return `${kind.noun} ${kind.inWords(name)}`;
}

export function withItem<N extends Noun, Result>(
  kind: Kind<N>,
  name: string,
  options: Selection,
  use: (around: Surroundings, item: Item<N>) => Promise<Result>,
): Promise<Result> {
  return withStore(configOf(options), async (around) =>
    use(around, await select(kind, around, name, options)),
  );
}

/** Fails if no programme has such an item, if several have it and none is named, or if it is damaged. */
export async function select<N extends Noun>(
  ...call: Parameters<typeof selectAny<N>>
): Promise<Item<N>> {
  const found = await selectAny(...call);
  if (found instanceof DamagedItem) throw found;
  return found;
}

/** As `select`, and finds damaged items, too. */
export async function selectAny<N extends Noun>(
  kind: Kind<N>,
  { store, config }: Surroundings,
  name: string,
  { programme }: Pick<Selection, 'programme'>,
  tellApart = (programmes: readonly ProgrammeId[]): string =>
    `add --programme and one of ${programmes.join(', ')}`,
): Promise<Item<N> | DamagedItem> {
  const programmes = selectProgrammes(config, programme);
  const answers = await Promise.all(
    programmes.map((one) =>
      Promise.resolve(
        kind.find?.(store, one, name) ?? store.find(kind.noun, one, name as Id<N>),
      ).catch((error: unknown) => {
        if (error instanceof DamagedItem) return error;
        throw error;
      }),
    ),
  );
  const found = answers.filter((one) => one !== undefined);
  const [only, another] = found;
  if (only === undefined) {
    const where = programme === undefined ? '' : ` in ${programme}`;
    throw failed(`there is no ${kind.noun} ${quote(name)}${where}`);
  }
  if (another === undefined) return only;
  throw wrongUsage(
    `several programmes have a ${kind.noun} ${quote(name)}: ${tellApart(found.map((one) => one.programme))}`,
  );
}

export function removedMeanwhile<N extends Noun>(kind: Kind<N>, name: string): CommandError {
  return failed(`the ${kind.noun} ${quote(name)} was removed by somebody else just now`);
}

/**
 * `change` may run twice, so it must depend only on its argument; if it throws, nothing changes.
 * @param own see `Registry.change`, also for `endsTokens`
 */
export async function changeItem<N extends Noun>(
  kind: Kind<N>,
  { store }: OpenStore,
  item: Item<N>,
  change: (item: Item<N>) => Item<N>,
  own?: readonly LookUp<N>[],
  endsTokens?: boolean,
): Promise<Item<N>> {
  const id = kinds[kind.noun].idOf(item);
  const after = await store.change(kind.noun, item.programme, id, change, own, endsTokens);
  if (after === undefined) throw removedMeanwhile(kind, kind.nameOf(item));
  return after;
}

export type NewItem = Selection & { readonly programme: string };

/**
 * Reads the options of `add`; ends the command as wrong usage with all faults.
 * @param others inputs besides the fields
 * @param faults complaints about several fields together
 */
export function readNew<Shape>(
  options: NewItem,
  fields: Fields<Shape>,
  others: readonly Input[] = [],
  faults: (item: Shape) => readonly string[] = () => [],
): {
  readonly config: Config;
  readonly programme: Programme;
  readonly fields: Shape;
} {
  const config = configOf(options);
  const programme = compileNamed(config, options.programme);
  const given = givenIn(options, [...others, ...newInputsOf(fields)]);
  const item = readFields(fields, given);
  const complaints = complaintsOf(fields, given, programme, others);
  refuseUsage([...complaints.map(({ message }) => message), ...faults(item)]);
  expectDurableStore(config);
  return { config, programme, fields: item };
}
