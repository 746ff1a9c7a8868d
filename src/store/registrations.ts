// Owns the decisions about registered things that every backend must take alike; it reads and writes
// nothing itself.

import type { ProgrammeId } from '../oauth/client.ts';
import { type Id, type Item, type Kind, kinds, type LookUp } from './kinds.ts';
import type { Page, Selection } from './registry.ts';

/** The look-ups of a kind, each with the keys that the item holds. */
export function keysOf<K extends Kind>(
  kind: K,
  item: Item<K>,
): readonly { readonly lookUp: LookUp<K>; readonly key: string; readonly isUnique: boolean }[] {
  return lookUpsOf(kind).flatMap((lookUp) => {
    const { keysOf: read, isUnique } = kinds[kind].lookUps[lookUp];
    return [...new Set(read(item))].map((key) => ({ lookUp, key, isUnique }));
  });
}

/** The keys that no other item may hold: of unique look-ups, and of those that are to be its own. */
export function uniqueKeysOf<K extends Kind>(
  kind: K,
  item: Item<K>,
  own: readonly LookUp<K>[],
): readonly { readonly lookUp: LookUp<K>; readonly key: string }[] {
  return keysOf(kind, item).filter(({ lookUp, isUnique }) => isUnique || own.includes(lookUp));
}

function lookUpsOf<K extends Kind>(kind: K): readonly LookUp<K>[] {
  return Object.keys(kinds[kind].lookUps) as LookUp<K>[];
}

/**
 * Identifiers of the items that cannot be added: `isTaken` says so, or an earlier item of the list has
 * the same identifier or the same key of a unique look-up (C-5).
 */
export function takenAmong<K extends Kind>(
  kind: K,
  items: readonly Item<K>[],
  own: readonly LookUp<K>[],
  isTaken: (item: Item<K>) => boolean,
): readonly Id<K>[] {
  const seen = new Set<string>();
  const taken = items.filter((item) => {
    const unique = uniqueKeysOf(kind, item, own);
    const names = [
      nameOf(kind, item),
      ...unique.map(({ lookUp, key }) => `${item.programme}\0${lookUp}\0${key}`),
    ];
    const isTwice = names.some((name) => seen.has(name));
    for (const name of names) seen.add(name);
    return isTwice || isTaken(item);
  });
  return [...new Set(taken.map(kinds[kind].idOf))];
}

/** Holds a change of an item to its programme and identifier, which are immutable (C-5, C-9). */
export function expectSame<K extends Kind>(kind: K, before: Item<K>, after: Item<K>): Item<K> {
  if (nameOf(kind, before) === nameOf(kind, after)) return after;
  const id = kinds[kind].idOf(before);
  throw new Error(`a change of ${words(kind)} ${id} may not change its programme or identifier`);
}

/** What a change of several items comes to. */
export interface Changes<K extends Kind> {
  readonly added: readonly Item<K>[];
  /** Each with what it was before. */
  readonly changed: readonly { readonly before: Item<K>; readonly after: Item<K> }[];
  readonly removed: readonly Item<K>[];
}

/**
 * Tells two states of the selected items apart. Holds the change to the programme that was selected,
 * to one item of an identifier, and to removals that take nothing else along.
 */
export function changesOf<K extends Kind>(
  kind: K,
  selection: Selection<K>,
  before: readonly Item<K>[],
  after: readonly Item<K>[],
): Changes<K> {
  const known = new Map(before.map((item) => [nameOf(kind, item), item]));
  const kept = new Set(after.map((item) => nameOf(kind, item)));
  const added = after.filter((item) => !known.has(nameOf(kind, item)));
  const removed = before.filter((item) => !kept.has(nameOf(kind, item)));
  const mayAdd = (item: Item<K>): boolean =>
    'programme' in selection && item.programme === selection.programme;
  const mayRemove =
    'programme' in selection && kinds[kind].reusesIds && kinds[kind].ownerOf === undefined;
  if (kept.size < after.length || !added.every(mayAdd) || (removed.length > 0 && !mayRemove)) {
    throw new Error(
      `a change of several ${words(kind)}s must keep each of them, its programme and its identifier`,
    );
  }
  const changed = after.flatMap((item) => {
    const was = known.get(nameOf(kind, item));
    return was === undefined || JSON.stringify(was) === JSON.stringify(item)
      ? []
      : [{ before: was, after: item }];
  });
  return { added, changed, removed };
}

/** A change gives an item a key that is another's alone. Does not tell it: some are made of secrets. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';

  constructor(kind: Kind, lookUp: string) {
    super(`another ${words(kind)} has that ${lookUp.replace('_', ' ')}`);
  }
}

/** The error of a change of several items that gives items what others have, or a removed identifier. */
export function idsTaken<K extends Kind>(kind: K, ids: readonly Id<K>[]): Error {
  return new Error(
    `a change of several ${words(kind)}s gives ${ids.join(', ')} an identifier or a key that is taken`,
  );
}

/** The items in the order of their kind; they come in the order of registration. */
export function inOrder<K extends Kind>(kind: K, items: readonly Item<K>[]): readonly Item<K>[] {
  return kinds[kind].order === 'registered'
    ? items
    : items.toSorted((one, other) => one.createdAt - other.createdAt);
}

/** The part of a list that a page asks for. */
export function pageOf<K extends Kind>(
  kind: K,
  items: readonly Item<K>[],
  { after, limit = items.length }: Pick<Page<K>, 'after' | 'limit'>,
): readonly Item<K>[] {
  const from =
    after === undefined ? 0 : items.findIndex((item) => kinds[kind].idOf(item) === after);
  if (from < 0) throw noPlace(kind, after);
  const start = after === undefined ? 0 : from + 1;
  return items.slice(start, start + limit);
}

/** The error of a page that is to begin after an item which is not there. */
export function noPlace<K extends Kind>(kind: K, id: Id<K> | undefined): RangeError {
  return new RangeError(`there is no ${words(kind)} ${String(id)} for the list to go on from`);
}

/** An item's programme and identifier. */
export function nameOf<K extends Kind>(kind: K, item: Item<K>): string {
  const { programme }: { readonly programme: ProgrammeId } = item;
  return `${programme}\0${kinds[kind].idOf(item)}`;
}

function words(kind: Kind): string {
  return kind.replace('_', ' ');
}
