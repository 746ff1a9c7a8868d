// Owns the registered things' verbs in the file store, and what is remembered of their rows.

import type { DatabaseSync } from 'node:sqlite';

import { frozen } from '../../lib/frozen.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { Keeping } from '../keeping.ts';
import { type Item, type Kind, kindNames, kinds, type LookUp } from '../kinds.ts';
import { registrar } from '../registrar.ts';
import { keysOf, lookUpsOf } from '../registrations.ts';
import type { Registry } from '../registry.ts';
import { type DamagedItem, refuseDamage } from '../unusable.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { type Freshness, nameIn, Remembered } from './commits/freshness.ts';
import { metaOf } from './meta.ts';
import { epochIn, registeredRows } from './registered_rows.ts';
import type { Revoker } from './revocations.ts';
import type { SecretUses } from './secret_uses.ts';

export function fileRegistry(
  database: DatabaseSync,
  queue: CommitQueue,
  revoke: Revoker,
  uses: SecretUses,
  fresh: Freshness,
): Registry & Pick<Keeping, 'recordSecretUse' | 'secretUses'> {
  const { known, holders, forget } = caches(fresh);
  const rows = registeredRows(database, forget);
  const meta = metaOf(database);
  const { add, change, changeAll, remove } = registrar(rows, {
    revoke,
    keepUses: (...call) => uses.keepOnly(...call),
  });
  return {
    add: (...call) => queue.write(() => add(...call)),
    isTaken: (...call) => queue.read(() => rows.isTaken(...call)),
    find: (kind, programme, id) =>
      queue.read(
        () =>
          known[kind].get(nameIn(programme, id), () => {
            const found = frozen(rows.find(kind, programme, id));
            return found ?? (kinds[kind].remembersAbsence ? absent : undefined);
          }) ?? undefined,
      ),
    findBy: (kind, lookUp, programme, key) =>
      queue.read(
        () =>
          holders[kind][lookUp].get(nameIn(programme, key), () => {
            const damage: DamagedItem[] = [];
            const found = rows.holding(kind, lookUp, programme, key, (one) => damage.push(one));
            // Nothing is remembered of keys that nobody holds: strangers can think of any number.
            if (found.length > 0) return frozen(found);
            damage.forEach(refuseDamage);
            return undefined;
          }) ?? none,
      ),
    list: (...call) => queue.read(() => rows.list(...call)),
    // From the reserve: a partner must be stopped, and a stolen key go, even when the disk is full.
    change: (...call) => queue.writeFromReserve(() => change(...call)),
    changeAll: (...call) => queue.writeFromReserve(() => changeAll(...call)),
    remove: (...call) =>
      queue.writeFromReserve(() => {
        fresh.forget();
        return remove(...call);
      }),
    epoch: (kind) => queue.read(() => epochIn(meta, kind)),
    recordSecretUse: (...use) => uses.record(...use),
    secretUses: (programme, id) => queue.read(() => uses.of(programme, id)),
  };
}

/** Held in the place of an item that is known not to be there. */
const absent = null;
const none: readonly never[] = Object.freeze([]);

/** More items of a kind than this in use at once are read again. */
const mostKnown = 10_000;

interface Caches {
  readonly known: { readonly [K in Kind]: Remembered<Item<K> | typeof absent> };
  readonly holders: {
    readonly [K in Kind]: Readonly<Record<LookUp<K>, Remembered<readonly Item<K>[]>>>;
  };
  /** Call it with an item as it was and as it is. */
  readonly forget: <K extends Kind>(kind: K, item: Item<K>) => void;
}

function caches(fresh: Freshness): Caches {
  const of = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, new Remembered(fresh, mostKnown)]));
  const known = of(kindNames) as Caches['known'];
  const holders = Object.fromEntries(
    kindNames.map((kind) => [kind, of(lookUpsOf(kind))]),
  ) as unknown as Caches['holders'];
  return {
    known,
    holders,
    forget: (kind, item) => {
      const { programme }: { programme: ProgrammeId } = item;
      known[kind].take(nameIn(programme, kinds[kind].idOf(item)));
      for (const { lookUp, key } of keysOf(kind, item))
        holders[kind][lookUp].take(nameIn(programme, key));
    },
  };
}
