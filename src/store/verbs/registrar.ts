// Owns the steps by which registered things are added, changed and removed, over rows that are read and
// written at once (item_draft.ts); it keeps nothing itself.

import type { Instant } from '../../lib/clock.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { forever } from '../judgement.ts';
import { type Id, type Item, type Kind, kinds, type LookUp } from '../kinds.ts';
import {
  changesOf,
  expectSame,
  idsTaken,
  keysOf,
  KeyTaken,
  nameOf,
  takenAmong,
  uniqueKeysOf,
} from '../registrations.ts';
import type { Selection } from '../registry.ts';
import type { Draft } from './item_draft.ts';

/** The one of an item's unique keys that is held by none of the named items (`nameOf`), but by another. */
function keyOfAnother<K extends Kind>(
  rows: Draft,
  kind: K,
  programme: ProgrammeId,
  keys: ReturnType<typeof uniqueKeysOf<K>>,
  named: ReadonlySet<string>,
) {
  return keys.find(({ lookUp, key }) =>
    rows.holding(kind, lookUp, programme, key).some((holder) => !named.has(nameOf(kind, holder))),
  );
}

/** Items that cannot have their identifiers or keys once the named items have changed to `items`. */
function takenFrom<K extends Kind>(
  rows: Draft,
  kind: K,
  items: readonly Item<K>[],
  named: ReadonlySet<string>,
  own: readonly LookUp<K>[] = [],
): readonly Id<K>[] {
  return takenAmong(
    kind,
    items,
    own,
    (item) =>
      (!named.has(nameOf(kind, item)) &&
        rows.isTaken(kind, item.programme, kinds[kind].idOf(item))) ||
      keyOfAnother(rows, kind, item.programme, uniqueKeysOf(kind, item, own), named) !== undefined,
  );
}

function put<K extends Kind>(rows: Draft, kind: K, before: Item<K>, after: Item<K>): Item<K> {
  const { idOf, usedSecrets } = kinds[kind];
  if (usedSecrets) rows.keepUses(after.programme, idOf(after), usedSecrets(after));
  return rows.change(kind, before, after);
}

function drop<K extends Kind>(rows: Draft, kind: K, programme: ProgrammeId, id: Id<K>): boolean {
  const { usedSecrets } = kinds[kind];
  if (!rows.remove(kind, programme, id)) return false;
  if (usedSecrets) rows.keepUses(programme, id, []);
  return true;
}

/** See `Registry.add`. */
export function add<K extends Kind>(
  rows: Draft,
  kind: K,
  items: readonly Item<K>[],
  own?: readonly LookUp<K>[],
): readonly Id<K>[] {
  const taken = takenFrom(rows, kind, items, new Set(), own);
  if (taken.length === 0) for (const item of items) rows.add(kind, item);
  return taken;
}

/** See `Registry.change`. */
export function change<K extends Kind>(
  rows: Draft,
  kind: K,
  programme: ProgrammeId,
  id: Id<K>,
  changeOf: (item: Item<K>) => Item<K>,
  own: readonly LookUp<K>[] = [],
  endsTokens: boolean = false,
): Item<K> | undefined {
  const before = rows.find(kind, programme, id);
  if (before === undefined) return undefined;
  const after = expectSame(kind, before, changeOf(before));
  // A key that it had already counts no more: a client that shares a secret has to get rid of it.
  const had = keysOf(kind, before);
  const gained = uniqueKeysOf(kind, after, own).filter(
    ({ lookUp, key }) => !had.some((one) => one.lookUp === lookUp && one.key === key),
  );
  const held = keyOfAnother(rows, kind, programme, gained, new Set([nameOf(kind, before)]));
  if (held !== undefined) throw new KeyTaken(kind, held.lookUp);
  const { ownerOf } = kinds[kind];
  if (endsTokens && ownerOf) rows.revoke(programme, ownerOf(id));
  return put(rows, kind, before, after);
}

/** See `Registry.changeAll`. */
export function changeAll<K extends Kind>(
  rows: Draft,
  kind: K,
  selection: Selection<K>,
  changeOf: (items: readonly Item<K>[]) => readonly Item<K>[],
): readonly Item<K>[] {
  const isOfOne = 'programme' in selection;
  const before = isOfOne
    ? rows.list(kind, selection.programme)
    : rows.holdingAny(kind, selection.lookUp, selection.keys);
  const after = changeOf(before);
  const { added, changed, removed } = changesOf(kind, selection, before, after);
  const taken = takenFrom(rows, kind, after, new Set(before.map((item) => nameOf(kind, item))));
  if (taken.length > 0) throw idsTaken(kind, taken);
  for (const item of removed) drop(rows, kind, item.programme, kinds[kind].idOf(item));
  for (const one of changed) put(rows, kind, one.before, one.after);
  for (const item of added) rows.add(kind, item);
  if (isOfOne) return rows.list(kind, selection.programme);
  return after.flatMap((item) => rows.find(kind, item.programme, kinds[kind].idOf(item)) ?? []);
}

/** See `Registry.remove`. */
export function remove<K extends Kind>(
  rows: Draft,
  kind: K,
  programme: ProgrammeId,
  id: Id<K>,
  now: Instant,
): boolean {
  if (!drop(rows, kind, programme, id)) return false;
  const { reusesIds, ownerOf } = kinds[kind];
  if (!reusesIds) rows.bury(kind, programme, id, now);
  if (ownerOf) rows.revoke(programme, ownerOf(id), ...(reusesIds ? [] : [forever]));
  return true;
}
