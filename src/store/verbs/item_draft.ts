// Owns a change of registered things as it is worked out: over what is known of the rows, noting what
// was asked and is not known, and what is to be written.

import type { ProgrammeId } from '../../oauth/client.ts';
import { type Item, type Kind, kinds } from '../kinds.ts';
import type { Consequences, RegisteredRows } from '../registrar.ts';
import { inOrder, pageOf } from '../registrations.ts';
import { ownerName } from '../sql/revocations.ts';
import type { DamagedItem } from '../unusable.ts';
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
 * Rows for the shared steps of registrar.ts, which read and write them at once. What is not known is
 * answered as if there were nothing: a draft with questions is thrown away, and made again once they are
 * answered.
 */
export class Draft implements RegisteredRows {
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

  readonly consequences: Consequences = {
    revoke: (programme, whose, until) => {
      const owner = ownerName(whose);
      this.changes.revoked.push(
        until === undefined ? { programme, owner } : { programme, owner, until },
      );
    },
    keepUses: (programme, id, held) => {
      this.changes.usesKept.push({ programme, id, held: held.join(' ') });
    },
  };

  find: RegisteredRows['find'] = (kind, programme, id) => {
    const { item, damage } = this.#named({ kind, programme, id });
    if (damage !== undefined) throw damage;
    return item;
  };

  isTaken: RegisteredRows['isTaken'] = (kind, programme, id) =>
    this.#named({ kind, programme, id }).isTaken;

  holding: RegisteredRows['holding'] = (kind, name, programme, key, onDamage) =>
    wholeOf(this.#holders({ kind, programme, name, key }), onDamage);

  holdingAny: RegisteredRows['holdingAny'] = (kind, name, keys) => {
    const items = keys.flatMap((key) =>
      wholeOf(this.#holders({ kind, programme: null, name, key })),
    );
    const unique = new Map(
      items.map((item) => [
        `${item.programme}\0${kinds[kind].idOf(item as Item<typeof kind>)}`,
        item,
      ]),
    );
    return [...unique.values()] as Item<typeof kind>[];
  };

  list: RegisteredRows['list'] = (kind, programme, page = {}) => {
    const name = listName(kind, programme);
    const items = this.#facts.lists.get(name);
    if (items === undefined) this.questions.lists.set(name, { kind, programme });
    return pageOf(kind, inOrder(kind, (items ?? []) as readonly Item<typeof kind>[]), page);
  };

  add: RegisteredRows['add'] = (kind, item) => {
    this.changes.added.push(itemRow(kind, item));
    this.changes.keysAdded.push(...lookUpRows(kind, item));
    this.#know(kind, item, (items) => [...items, item]);
  };

  change: RegisteredRows['change'] = (kind, before, after) => {
    const row = itemRow(kind, after);
    this.changes.changed.push(row);
    const [was, is] = [lookUpRows(kind, before), lookUpRows(kind, after)];
    const stay = new Set(is.map(keyOfRow));
    this.changes.keysDropped.push(...was.filter((key) => !stay.has(keyOfRow(key))));
    // Also the keys that stay: a row that was lost comes back with the next change.
    this.changes.keysAdded.push(...is);
    const kept = JSON.parse(row.record) as typeof after;
    this.#know(kind, kept, (items) =>
      items.map((item) => (kinds[kind].idOf(item) === row.id ? kept : item)),
    );
    return kept;
  };

  remove: RegisteredRows['remove'] = (kind, programme, id) => {
    const { item, damage } = this.#named({ kind, programme, id });
    if ((item ?? damage) === undefined) return false;
    this.changes.removed.push({ kind, programme, id });
    // Which keys it had, only its record would tell.
    if (item === undefined) this.changes.keysLost.push({ kind, programme, id });
    else this.changes.keysDropped.push(...lookUpRows(kind, item));
    this.#facts.named.set(nameOf({ kind, programme, id }), { item: undefined, isTaken: false });
    this.#relist(kind, programme, (items) => items.filter((one) => kinds[kind].idOf(one) !== id));
    return true;
  };

  bury: RegisteredRows['bury'] = (kind, programme, id, now) => {
    this.changes.buried.push({ kind, programme, id, removed_at: now });
  };

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
