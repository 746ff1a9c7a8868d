// Owns a change of registered things as it is worked out: over what is known of the rows, noting what
// was asked and is not known, and what is to be written.

import type { Instant } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { Era } from '../../oauth/grant.ts';
import type { TokenOwner } from '../grants.ts';
import { type Id, type Item, type Kind, kinds, type LookUp } from '../kinds.ts';
import { inOrder } from '../registrations.ts';
import { ownerName } from '../sql/revocations.ts';
import type { DamagedItem, OnDamage } from '../unusable.ts';
import {
  type ItemName,
  itemRow,
  type KeyName,
  type LookUpRow,
  lookUpRows,
  noChanges,
  type NamedRow,
  type RowChanges,
  wholeOf,
} from './item_rows.ts';

/** What was read of the rows, all of it as of one moment; by the names of `nameOf` and `keyOf`. */
export interface Facts {
  readonly named: Map<string, NamedRow>;
  readonly holders: Map<string, readonly (Item<Kind> | DamagedItem)[]>;
  readonly lists: Map<string, readonly Item<Kind>[]>;
}

/** What a draft asked that its facts do not say. */
export interface Questions {
  readonly named: Map<string, ItemName>;
  readonly holders: Map<string, KeyName>;
  readonly lists: Map<string, { readonly kind: Kind; readonly programme: ProgrammeId }>;
}

export function noFacts(): Facts {
  return { named: new Map(), holders: new Map(), lists: new Map() };
}

/**
 * Rows for the steps of registrar.ts, which read and write them at once. What is not known is
 * answered as if there were nothing: a draft with questions is thrown away, and made again once they are
 * answered.
 */
export class Draft {
  readonly questions: Questions = { named: new Map(), holders: new Map(), lists: new Map() };
  readonly changes: RowChanges = noChanges();
  readonly #facts: Facts;

  /** `facts` are copied, and their copies changed. */
  constructor({ named, holders, lists }: Facts) {
    this.#facts = { named: new Map(named), holders, lists: new Map(lists) };
  }

  get isComplete(): boolean {
    return Object.values(this.questions).every(({ size }) => size === 0);
  }

  /** Kills the tokens of an owner: those issued so far, or up to an era. */
  revoke(programme: ProgrammeId, whose: TokenOwner, until?: Era): void {
    const owner = ownerName(whose);
    this.changes.revoked.push(
      until === undefined ? { programme, owner } : { programme, owner, until },
    );
  }

  /** Forgets the uses of all other secrets of an item. */
  keepUses(programme: ProgrammeId, id: string, secrets: readonly Digest[]): void {
    this.changes.usesKept.push({ programme, id, held: secrets.join(' ') });
  }

  find<K extends Kind>(kind: K, programme: ProgrammeId, id: Id<K>): Item<K> | undefined {
    const { item, damage } = this.#named({ kind, programme, id });
    if (damage !== undefined) throw damage;
    return item;
  }

  /** Whether an item is there, or was where that counts (see `Registry.add`). */
  isTaken(kind: Kind, programme: ProgrammeId, id: string): boolean {
    return this.#named({ kind, programme, id }).isTaken;
  }

  /** Those that hold the key, by identifier; `onDamage` as in `Registry.list`. */
  holding<K extends Kind>(
    kind: K,
    name: LookUp<K>,
    programme: ProgrammeId | null,
    key: string,
    onDamage?: OnDamage,
  ): readonly Item<K>[] {
    return wholeOf(this.#holders({ kind, programme, name, key }), onDamage);
  }

  /** Those of any programme that hold one of the keys. */
  holdingAny<K extends Kind>(
    kind: K,
    name: LookUp<K>,
    keys: readonly string[],
  ): readonly Item<K>[] {
    const items = keys.flatMap((key) => this.holding(kind, name, null, key));
    return [
      ...new Map(
        items.map((item) => [`${item.programme}\0${kinds[kind].idOf(item)}`, item]),
      ).values(),
    ];
  }

  list<K extends Kind>(kind: K, programme: ProgrammeId): readonly Item<K>[] {
    const name = listName(kind, programme);
    const items = this.#facts.lists.get(name);
    if (items === undefined) this.questions.lists.set(name, { kind, programme });
    return inOrder(kind, (items ?? []) as readonly Item<K>[]);
  }

  add<K extends Kind>(kind: K, item: Item<K>): void {
    this.changes.added.push(itemRow(kind, item));
    this.changes.keysAdded.push(...lookUpRows(kind, item));
    this.#know(kind, item, (items) => [...items, item]);
  }

  change<K extends Kind>(kind: K, before: Item<K>, after: Item<K>): Item<K> {
    const row = itemRow(kind, after);
    this.changes.changed.push(row);
    const [was, is] = [lookUpRows(kind, before), lookUpRows(kind, after)];
    const stay = new Set(is.map(keyOfRow));
    this.changes.keysDropped.push(...was.filter((key) => !stay.has(keyOfRow(key))));
    // Also the keys that stay: a row that was lost comes back with the next change.
    this.changes.keysAdded.push(...is);
    const kept = JSON.parse(row.record) as Item<K>;
    this.#know(kind, kept, (items) =>
      items.map((item) => (kinds[kind].idOf(item) === row.id ? kept : item)),
    );
    return kept;
  }

  /** False when there is none. Does not depend on the record, which may be damaged (FAULTS 36). */
  remove<K extends Kind>(kind: K, programme: ProgrammeId, id: Id<K>): boolean {
    const { item, damage } = this.#named({ kind, programme, id });
    if ((item ?? damage) === undefined) return false;
    this.changes.removed.push({ kind, programme, id });
    // Which keys it had, only its record would tell.
    if (item === undefined) this.changes.keysLost.push({ kind, programme, id });
    else this.changes.keysDropped.push(...lookUpRows(kind, item as Item<K>));
    this.#facts.named.set(nameOf({ kind, programme, id }), { item: undefined, isTaken: false });
    this.#relist(kind, programme, (items) => items.filter((one) => kinds[kind].idOf(one) !== id));
    return true;
  }

  /** Keeps the identifier of a removed item from being given out again. */
  bury(kind: Kind, programme: ProgrammeId, id: string, now: Instant): void {
    this.changes.buried.push({ kind, programme, id, removed_at: now });
  }

  #named(asked: ItemName): NamedRow {
    const name = nameOf(asked);
    const found = this.#facts.named.get(name);
    if (found === undefined) this.questions.named.set(name, asked);
    return found ?? { item: undefined, isTaken: false };
  }

  #holders(asked: KeyName): readonly (Item<Kind> | DamagedItem)[] {
    const name = keyOf(asked);
    const found = this.#facts.holders.get(name);
    if (found === undefined) this.questions.holders.set(name, asked);
    return found ?? [];
  }

  #know<K extends Kind>(
    kind: K,
    item: Item<K>,
    relist: (items: readonly Item<K>[]) => readonly Item<K>[],
  ): void {
    const { programme }: { programme: ProgrammeId } = item;
    const name = nameOf({ kind, programme, id: kinds[kind].idOf(item) });
    this.#facts.named.set(name, { item, isTaken: true });
    this.#relist(kind, programme, relist);
  }

  #relist<K extends Kind>(
    kind: K,
    programme: ProgrammeId,
    relist: (items: readonly Item<K>[]) => readonly Item<K>[],
  ): void {
    const name = listName(kind, programme);
    const items = this.#facts.lists.get(name) as readonly Item<K>[] | undefined;
    if (items !== undefined) this.#facts.lists.set(name, relist(items));
  }
}

function nameOf({ kind, programme, id }: ItemName): string {
  return `${kind}\0${programme}\0${id}`;
}

function keyOf({ kind, programme, name, key }: KeyName): string {
  return `${kind}\0${programme ?? ''}\0${name}\0${key}`;
}

function listName(kind: Kind, programme: ProgrammeId): string {
  return `${kind}\0${programme}`;
}

function keyOfRow({ name, key }: LookUpRow): string {
  return `${name}\0${key}`;
}
