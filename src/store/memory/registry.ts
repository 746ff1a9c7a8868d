// Owns registered things in memory, the identifiers of removed ones, and when secrets were last used.

import { earlier, type Instant } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import { frozenCopy } from '../../lib/frozen.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { Keeping } from '../keeping.ts';
import {
  type Id,
  type Item,
  type Kind,
  type KindDescription,
  kindNames,
  kinds,
  type LookUp,
} from '../kinds.ts';
import { type RegisteredRows, registrar } from '../registrar.ts';
import { inOrder, keysOf, lookUpsOf, pageOf } from '../registrations.ts';
import type { Page, Registry } from '../registry.ts';
import { isNewUse } from '../secret_uses.ts';
import type { MemoryRevocations } from './revocations.ts';
import { MemoryTable } from './table.ts';

interface MemoryRegistry
  extends Registry, Pick<Keeping, 'recordSecretUse' | 'secretUses'>, Pick<MemoryRows, 'setBack'> {
  /** Uses later than `now` are of a clock that was ahead: they count as of `now` (FAULTS 33). */
  readonly setBackUses: (now: Instant) => void;
}

/** No verb awaits, so each is one atomic step of the event loop. */
export function memoryRegistry(revocations: MemoryRevocations): MemoryRegistry {
  const rows = new MemoryRows();
  const uses = new MemoryTable<Map<Digest, Instant>>();
  const { add, change, changeAll, remove } = registrar(rows, {
    revoke: (...call) => revocations.revoke(...call),
    keepUses: (programme, id, held) => {
      const used = [...(uses.get(programme, id) ?? [])];
      uses.set(programme, id, new Map(used.filter(([digest]) => held.includes(digest))));
    },
  });
  return {
    add: async (...call) => add(...call),
    isTaken: async (...call) => rows.isTaken(...call),
    find: async (kind, programme, id) => rows.find(kind, programme, id),
    findBy: async (kind, lookUp, programme, key) => rows.holding(kind, lookUp, programme, key),
    list: async (...call) => rows.list(...call),
    change: async (...call) => change(...call),
    changeAll: async (...call) => changeAll(...call),
    remove: async (...call) => remove(...call),
    epoch: async (kind) => rows.epoch(kind),
    setBack: (...times) => rows.setBack(...times),
    recordSecretUse(programme, id, secret, now) {
      if (rows.find('client', programme, id) === undefined) return;
      const used = uses.get(programme, id) ?? new Map<Digest, Instant>();
      if (isNewUse(used.get(secret), now)) used.set(secret, now);
      uses.set(programme, id, used);
    },
    setBackUses(now) {
      for (const used of uses.filter(() => true)) {
        for (const [secret, usedAt] of used) used.set(secret, earlier(usedAt, now));
      }
    },
    async secretUses(programme, id) {
      return new Map(uses.get(programme, id));
    },
  };
}

class MemoryRows implements RegisteredRows {
  readonly #items = ofEachKind(() => new MemoryTable<Item<Kind>>());
  readonly #removed = ofEachKind(() => new MemoryTable<true>());
  /** Of each look-up the identifiers of the items that hold a key, in order. */
  readonly #holders = ofEachKind(
    (kind) =>
      new Map(
        lookUpsOf(kind).map((name) => [name as string, new MemoryTable<readonly string[]>()]),
      ),
  );
  readonly #epochs = new Map<Kind, number>();

  find<K extends Kind>(kind: K, programme: ProgrammeId, id: Id<K>): Item<K> | undefined {
    return this.#items[kind].get(programme, id);
  }

  holding<K extends Kind>(
    kind: K,
    lookUp: LookUp<K>,
    programme: ProgrammeId,
    key: string,
  ): readonly Item<K>[] {
    const ids = this.#holders[kind].get(lookUp)?.get(programme, key) ?? [];
    return ids.flatMap((id) => this.find(kind, programme, id as Id<K>) ?? []);
  }

  holdingAny<K extends Kind>(
    kind: K,
    lookUp: LookUp<K>,
    keys: readonly string[],
  ): readonly Item<K>[] {
    const { keysOf: read } = kinds[kind].lookUps[lookUp];
    return this.#all(kind).filter((item) => read(item).some((key) => keys.includes(key)));
  }

  list<K extends Kind>(kind: K, programme: ProgrammeId, page: Page<K> = {}): readonly Item<K>[] {
    const items = this.#all(kind).filter((item) => item.programme === programme);
    return pageOf(kind, inOrder(kind, items), page);
  }

  isTaken(kind: Kind, programme: ProgrammeId, id: string): boolean {
    return (
      (this.#items[kind].get(programme, id) ?? this.#removed[kind].get(programme, id)) !== undefined
    );
  }

  add<K extends Kind>(kind: K, item: Item<K>): void {
    this.#put(kind, undefined, frozenCopy(item));
  }

  change<K extends Kind>(kind: K, before: Item<K>, after: Item<K>): Item<K> {
    return this.#put(kind, before, frozenCopy(after));
  }

  remove<K extends Kind>(kind: K, programme: ProgrammeId, id: Id<K>): boolean {
    const item = this.find(kind, programme, id);
    if (item === undefined) return false;
    this.#unlink(kind, item);
    this.#items[kind].delete(programme, id);
    return true;
  }

  bury(kind: Kind, programme: ProgrammeId, id: string): void {
    this.#removed[kind].set(programme, id, true);
  }

  advanceEpoch(kind: Kind): void {
    if (kinds[kind].hasEpoch) this.#epochs.set(kind, this.epoch(kind) + 1);
  }

  epoch(kind: Kind): number {
    return this.#epochs.get(kind) ?? 0;
  }

  /** Has the items of all kinds as they are after a clock was set back. */
  setBack(to: Instant, from: Instant): void {
    for (const kind of kindNames) {
      const { setBack } = kinds[kind] as KindDescription<typeof kind>;
      if (setBack === undefined) continue;
      for (const item of this.#all(kind)) this.change(kind, item, setBack(item, to, from));
      this.advanceEpoch(kind);
    }
  }

  #all<K extends Kind>(kind: K): readonly Item<K>[] {
    return this.#items[kind].filter(() => true);
  }

  #put<K extends Kind>(kind: K, before: Item<K> | undefined, after: Item<K>): Item<K> {
    const { programme } = after;
    const id = kinds[kind].idOf(after);
    if (before !== undefined) this.#unlink(kind, before);
    this.#items[kind].set(programme, id, after);
    for (const { lookUp, key } of keysOf(kind, after)) {
      const holders = this.#holders[kind].get(lookUp);
      holders?.set(programme, key, [...(holders.get(programme, key) ?? []), id].toSorted());
    }
    return after;
  }

  #unlink<K extends Kind>(kind: K, item: Item<K>): void {
    for (const { lookUp, key } of keysOf(kind, item)) {
      const holders = this.#holders[kind].get(lookUp);
      const others = holders
        ?.get(item.programme, key)
        ?.filter((id) => id !== kinds[kind].idOf(item));
      if (others?.length) holders?.set(item.programme, key, others);
      else holders?.delete(item.programme, key);
    }
  }
}

function ofEachKind<T>(make: (kind: Kind) => T): Readonly<Record<Kind, T>> {
  return Object.fromEntries(kindNames.map((kind) => [kind, make(kind)])) as Record<Kind, T>;
}
