// Owns the store's contract for registered things: clients, members, gateways and signing keys, each
// kind described in kinds.ts.

import type { Instant } from '../lib/clock.ts';
import type { Soon } from '../lib/pause.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { Id, Item, Kind, LookUp, LookUpKey } from './kinds.ts';
import type { OnDamage } from './unusable.ts';

/** Which part of a list is asked for. */
export interface Page<K extends Kind> {
  /** The identifier of the last item before the part; the part begins with the first item if left out. */
  readonly after?: Id<K>;
  /** The most items to return; all that follow if left out. */
  readonly limit?: number;
  /** Told of each damaged item, which is left out; a list with one rejects if it is left out itself. */
  readonly onDamage?: OnDamage;
}

/** The items that one change is about: those of a programme, or those of any that hold one of the keys. */
export type Selection<K extends Kind> =
  | { readonly programme: ProgrammeId }
  | { [L in LookUp<K>]: Holders<K, L> }[LookUp<K>];

interface Holders<K extends Kind, L extends LookUp<K>> {
  readonly lookUp: L;
  readonly keys: readonly LookUpKey<K, L>[];
}

/** What operators register. Every verb is atomic; changes are pure functions that may run twice. */
export interface Registry {
  /**
   * Adds all of the items or, if the identifier or the key of a unique look-up of any is taken, none.
   * An identifier is taken that another item has, also in `items`, or has had where the kind's are
   * never given out again (C-5). Returns the identifiers of the items that cannot be added; empty when
   * all are added.
   * @param own look-ups that are to be as good as unique for these items
   */
  add<K extends Kind>(
    kind: K,
    items: readonly Item<K>[],
    own?: readonly LookUp<K>[],
  ): Promise<readonly Id<K>[]>;

  /**
   * Rejects with DamagedItem where its row is damaged, as the verbs below do.
   * @param onGone told if there is no item, but was one whose identifier is never given out again (see `add`)
   */
  find<K extends Kind>(
    kind: K,
    programme: ProgrammeId,
    id: Id<K>,
    onGone?: () => void,
  ): Soon<Item<K> | undefined>;

  /**
   * The items that hold the key, by identifier: at most one where the look-up is unique. Whether an API
   * key or secret has not expired is the caller's to judge. Damaged items are left out
   * unless all that hold the key are.
   */
  findBy<K extends Kind, L extends LookUp<K>>(
    kind: K,
    lookUp: L,
    programme: ProgrammeId,
    key: LookUpKey<K, L>,
  ): Promise<readonly Item<K>[]>;

  /**
   * The items of a programme in the order of their kind. Of a kind whose list is remembered (kinds.ts) the
   * whole list is the same object as long as nothing has changed, and cheap to ask for.
   * @throws RangeError where `page.after` is not there (any more): nobody knows its place
   */
  list<K extends Kind>(
    kind: K,
    programme: ProgrammeId,
    page?: Page<K>,
  ): Promise<readonly Item<K>[]>;

  /**
   * Applies a pure change to the item as it stands; undefined when there is none. Rejects, changing
   * nothing, when the change gives it another identifier or (`KeyTaken`) the key of a unique look-up that
   * another item holds.
   * @param own look-ups of which the change may add no key that another item holds, as if they were unique
   * @param endsTokens whether it ends, in the same step, all that its owner was issued so far (FAULTS 28)
   */
  change<K extends Kind>(
    kind: K,
    programme: ProgrammeId,
    id: Id<K>,
    change: (item: Item<K>) => Item<K>,
    own?: readonly LookUp<K>[],
    endsTokens?: boolean,
  ): Promise<Item<K> | undefined>;

  /**
   * Applies a pure change to all selected items as they stand, in one step. Of a programme's items,
   * those that the change adds are added, and those that it leaves out removed, where a removal takes
   * nothing else along (signing keys). Rejects, changing nothing, when an item would have an identifier
   * or the key of a unique look-up that is taken (see `add`) once all are changed. Resolves to the items as they are then: a programme's in the
   * order of their kind, others in the order of the change.
   */
  changeAll<K extends Kind>(
    kind: K,
    selection: Selection<K>,
    change: (items: readonly Item<K>[]) => readonly Item<K>[],
  ): Promise<readonly Item<K>[]>;

  /**
   * Removes an item, damaged or not, with the tokens of its owner: a client's for good, and its identifier
   * is never given out again (C-5). False when there is none.
   */
  remove<K extends Kind>(
    kind: K,
    programme: ProgrammeId,
    id: Id<K>,
    now: Instant,
  ): Promise<boolean>;
}
