// Owns the steps by which registered things are added, changed and removed, over rows that are read and
// written at once (verbs/item_draft.ts); it keeps nothing itself.

import type { Instant } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { Era } from '../oauth/grant.ts';
import type { TokenOwner } from './grants.ts';
import { forever } from './judgement.ts';
import { type Id, type Item, type Kind, kinds, type LookUp } from './kinds.ts';
import {
  changesOf,
  expectSame,
  idsTaken,
  keysOf,
  KeyTaken,
  nameOf,
  takenAmong,
  uniqueKeysOf,
} from './registrations.ts';
import type { Page, Selection } from './registry.ts';
import type { OnDamage } from './unusable.ts';

/** What a backend keeps of registered things; what changes rows is called inside a write alone. */
export interface RegisteredRows {
  find<K extends Kind>(kind: K, programme: ProgrammeId, id: Id<K>): Item<K> | undefined;
  /** Those that hold the key, by identifier; `onDamage` as in `list`. */
  holding<K extends Kind>(
    kind: K,
    lookUp: LookUp<K>,
    programme: ProgrammeId,
    key: string,
    onDamage?: OnDamage,
  ): readonly Item<K>[];
  /** Those of any programme that hold one of the keys. */
  holdingAny<K extends Kind>(
    kind: K,
    lookUp: LookUp<K>,
    keys: readonly string[],
  ): readonly Item<K>[];
  list<K extends Kind>(kind: K, programme: ProgrammeId, page?: Page<K>): readonly Item<K>[];
  /** Whether an item is there, or was where that counts (see `Registry.add`). */
  isTaken(kind: Kind, programme: ProgrammeId, id: string): boolean;
  add<K extends Kind>(kind: K, item: Item<K>): void;
  /** Returns the item as it is found from now on. */
  change<K extends Kind>(kind: K, before: Item<K>, after: Item<K>): Item<K>;
  /** False when there is none. Does not depend on the record, which may be damaged (FAULTS 36). */
  remove<K extends Kind>(kind: K, programme: ProgrammeId, id: Id<K>): boolean;
  /** Keeps the identifier of a removed item from being given out again. */
  bury(kind: Kind, programme: ProgrammeId, id: string, now: Instant): void;
}

/** What else a change or a removal of an item is about. */
export interface Consequences {
  /** Kills the tokens of an owner: those issued so far, or up to an era. */
  readonly revoke: (programme: ProgrammeId, whose: TokenOwner, until?: Era) => void;
  /** Forgets the uses of all other secrets of an item. */
  readonly keepUses: (programme: ProgrammeId, id: string, secrets: readonly Digest[]) => void;
}

/** The registry's writes; each is called over one draft. See `Registry`. */
export interface Registrar {
  readonly add: <K extends Kind>(
    kind: K,
    items: readonly Item<K>[],
    own?: readonly LookUp<K>[],
  ) => readonly Id<K>[];
  readonly change: <K extends Kind>(
    kind: K,
    programme: ProgrammeId,
    id: Id<K>,
    change: (item: Item<K>) => Item<K>,
    own?: readonly LookUp<K>[],
    endsTokens?: boolean,
  ) => Item<K> | undefined;
  readonly changeAll: <K extends Kind>(
    kind: K,
    selection: Selection<K>,
    change: (items: readonly Item<K>[]) => readonly Item<K>[],
  ) => readonly Item<K>[];
  readonly remove: <K extends Kind>(
    kind: K,
    programme: ProgrammeId,
    id: Id<K>,
    now: Instant,
  ) => boolean;
}

export function registrar(rows: RegisteredRows, { revoke, keepUses }: Consequences): Registrar {
  /** The one of an item's unique keys that is held by none of the named items (`nameOf`), but by another. */
  const keyOfAnother = <K extends Kind>(
    kind: K,
    programme: ProgrammeId,
    keys: ReturnType<typeof uniqueKeysOf<K>>,
    named: ReadonlySet<string>,
  ) =>
    keys.find(({ lookUp, key }) =>
      rows.holding(kind, lookUp, programme, key).some((holder) => !named.has(nameOf(kind, holder))),
    );
  /** Items that cannot have their identifiers or keys once the named items have changed to `items`. */
  const takenFrom = <K extends Kind>(
    kind: K,
    items: readonly Item<K>[],
    named: ReadonlySet<string>,
    own: readonly LookUp<K>[] = [],
  ): readonly Id<K>[] =>
    takenAmong(
      kind,
      items,
      own,
      (item) =>
        (!named.has(nameOf(kind, item)) &&
          rows.isTaken(kind, item.programme, kinds[kind].idOf(item))) ||
        keyOfAnother(kind, item.programme, uniqueKeysOf(kind, item, own), named) !== undefined,
    );
  const add = <K extends Kind>(kind: K, item: Item<K>): void => {
    rows.add(kind, item);
  };
  const put = <K extends Kind>(kind: K, before: Item<K>, after: Item<K>): Item<K> => {
    const { idOf, usedSecrets } = kinds[kind];
    if (usedSecrets) keepUses(after.programme, idOf(after), usedSecrets(after));
    return rows.change(kind, before, after);
  };
  const drop = <K extends Kind>(kind: K, programme: ProgrammeId, id: Id<K>): boolean => {
    const { usedSecrets } = kinds[kind];
    if (!rows.remove(kind, programme, id)) return false;
    if (usedSecrets) keepUses(programme, id, []);
    return true;
  };
  return {
    add: (kind, items, own) => {
      const taken = takenFrom(kind, items, new Set(), own);
      if (taken.length === 0) for (const item of items) add(kind, item);
      return taken;
    },
    change: (kind, programme, id, change, own = [], endsTokens = false) => {
      const before = rows.find(kind, programme, id);
      if (before === undefined) return undefined;
      const after = expectSame(kind, before, change(before));
      // A key that it had already counts no more: a client that shares a secret has to get rid of it.
      const had = keysOf(kind, before);
      const gained = uniqueKeysOf(kind, after, own).filter(
        ({ lookUp, key }) => !had.some((one) => one.lookUp === lookUp && one.key === key),
      );
      const held = keyOfAnother(kind, programme, gained, new Set([nameOf(kind, before)]));
      if (held !== undefined) throw new KeyTaken(kind, held.lookUp);
      const { ownerOf } = kinds[kind];
      if (endsTokens && ownerOf) revoke(programme, ownerOf(id));
      return put(kind, before, after);
    },
    changeAll: (kind, selection, change) => {
      const isOfOne = 'programme' in selection;
      const before = isOfOne
        ? rows.list(kind, selection.programme)
        : rows.holdingAny(kind, selection.lookUp, selection.keys);
      const after = change(before);
      const { added, changed, removed } = changesOf(kind, selection, before, after);
      // Before the first write: a backend without rollback has changed nothing when this throws.
      const taken = takenFrom(kind, after, new Set(before.map((item) => nameOf(kind, item))));
      if (taken.length > 0) throw idsTaken(kind, taken);
      for (const item of removed) drop(kind, item.programme, kinds[kind].idOf(item));
      for (const one of changed) put(kind, one.before, one.after);
      for (const item of added) add(kind, item);
      if (isOfOne) return rows.list(kind, selection.programme);
      return after.flatMap((item) => rows.find(kind, item.programme, kinds[kind].idOf(item)) ?? []);
    },
    remove: (kind, programme, id, now) => {
      if (!drop(kind, programme, id)) return false;
      const { reusesIds, ownerOf } = kinds[kind];
      if (!reusesIds) rows.bury(kind, programme, id, now);
      if (ownerOf) revoke(programme, ownerOf(id), ...(reusesIds ? [] : [forever]));
      return true;
    },
  };
}
