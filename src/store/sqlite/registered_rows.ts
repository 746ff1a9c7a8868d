// Owns the rows of registered things in the file store: an item is one row with its record as JSON, and
// a row for each key of its look-ups.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { type Item, type Kind, type KindDescription, kindNames, kinds } from '../kinds.ts';
import type { RegisteredRows } from '../registrar.ts';
import { inOrder, keysOf, noPlace, pageOf } from '../registrations.ts';
import { from } from '../sql/parts.ts';
import { damaged, type RowOf, sumOf } from '../sql/table.ts';
import { lookUps, registered, removed } from '../sql/tables.ts';
import { DamagedItem, type OnDamage, refuseDamage } from '../unusable.ts';
import { isOutage } from './commits/outage.ts';
import { type Meta, metaOf } from './meta.ts';
import { finder, inserter, lister } from './tables.ts';

/** `changed` hears of each item as it was before a change and as it is after it. */
export function registeredRows(
  database: DatabaseSync,
  changed: <K extends Kind>(kind: K, item: Item<K>) => void = () => undefined,
): RegisteredRows {
  const named = 'kind = ? AND programme = ? AND id = ?';
  const select = finder(database, rowPart, `FROM registered WHERE ${named}`);
  const page = lister(
    database,
    rowPart,
    `FROM registered WHERE kind = ? AND programme = ? AND position > ?
     ORDER BY position LIMIT ?`,
  );
  const taken = database.prepare(
    `SELECT 1 FROM registered WHERE kind = ?1 AND programme = ?2 AND id = ?3
     UNION ALL SELECT 1 FROM removed WHERE kind = ?1 AND programme = ?2 AND id = ?3`,
  );
  const insert = inserter(database, registered);
  const update = database.prepare(`UPDATE registered SET record = ?, sum = ? WHERE ${named}`);
  const drop = database.prepare(`DELETE FROM registered WHERE ${named}`);
  const bury = inserter(database, removed);
  const meta = metaOf(database);
  const index = lookUpRows(database);
  const find: RegisteredRows['find'] = (kind, programme, id) => {
    const found = select(kind, programme, id);
    return found && itemOf(kind, found);
  };
  return {
    find,
    holding: (kind, lookUp, programme, key, onDamage) => {
      const items = wholeOf(kind, index.holding(kind, programme, lookUp, key), onDamage);
      for (const item of items) {
        if (!kinds[kind].lookUps[lookUp].keysOf(item).includes(key)) throw damaged('look_up');
      }
      return items;
    },
    holdingAny: (kind, lookUp, keys) => {
      const names = keys.flatMap((key) => index.holdingAnywhere(kind, lookUp, key));
      const unique = new Map(names.map((name) => [name.join('\0'), name]));
      return [...unique.values()].flatMap(([programme, id]) => find(kind, programme, id) ?? []);
    },
    list: (kind, programme, asked = {}) => {
      const { after, limit = -1, onDamage } = asked;
      if (kinds[kind].order === 'created') {
        const all = wholeOf(kind, page(kind, programme, 0, -1), onDamage);
        return pageOf(kind, inOrder(kind, all), asked);
      }
      const before = after === undefined ? { position: 0 } : select(kind, programme, after)?.row;
      if (before === undefined) throw noPlace(kind, after);
      return wholeOf(kind, page(kind, programme, before.position, limit), onDamage);
    },
    isTaken: (...name) => taken.get(...name) !== undefined,
    add: (kind, item) => {
      changed(kind, item);
      insert(rowOf(kind, item));
      index.change(kind, undefined, item);
    },
    change: (kind, before, after) => {
      changed(kind, before);
      changed(kind, after);
      const row = rowOf(kind, after);
      update.run(row.record, sumOf(registered, row), kind, row.programme, row.id);
      index.change(kind, before, after);
      return JSON.parse(row.record) as typeof after;
    },
    remove: (kind, programme, id) => {
      const item = readable(() => find(kind, programme, id));
      if (drop.run(kind, programme, id).changes === 0) return false;
      if (item === undefined) index.dropAll(kind, programme, id);
      else {
        changed(kind, item);
        index.change(kind, item, undefined);
      }
      return true;
    },
    bury: (kind, programme, id, now) => void bury({ kind, programme, id, removed_at: now }),
    advanceEpoch: (kind) => {
      if (kinds[kind].hasEpoch) meta.put(epochName(kind), epochIn(meta, kind) + 1);
    },
  };
}

/** The items of a kind in every programme, in the order of their kind, without damaged ones. */
export function everywhere(
  database: DatabaseSync,
): <K extends Kind>(kind: K) => readonly Item<K>[] {
  const all = lister(database, rowPart, 'FROM registered WHERE kind = ? ORDER BY position');
  return (kind) =>
    inOrder(
      kind,
      wholeOf(kind, all(kind), () => undefined),
    );
}

/** Has the items of all kinds as they are after a clock was set back; call the result inside a write. */
export function registrySetBack(database: DatabaseSync): (to: Instant, from: Instant) => void {
  const all = everywhere(database);
  const rows = registeredRows(database);
  const changeAll = <K extends Kind>(kind: K, change: (item: Item<K>) => Item<K>): void => {
    for (const before of all(kind)) {
      const after = change(before);
      if (JSON.stringify(after) === JSON.stringify(before)) continue;
      rows.change(kind, before, after);
      rows.advanceEpoch(kind);
    }
  };
  return (to, before) => {
    for (const kind of kindNames) {
      const { setBack } = kinds[kind] as KindDescription<typeof kind>;
      if (setBack) changeAll(kind, (item) => setBack(item, to, before));
    }
  };
}

/** See `Registry.epoch`. */
export function epochIn(meta: Meta, kind: Kind): number {
  return meta.number(epochName(kind)) ?? 0;
}

function epochName(kind: Kind): string {
  return `${kind}_epoch`;
}

const rowPart = { row: from(registered, 'registered') };

interface FoundRow {
  readonly row: RowOf<typeof registered>;
}

function rowOf<K extends Kind>(kind: K, item: Item<K>): Omit<RowOf<typeof registered>, 'sum'> {
  const { programme } = item;
  const id = kinds[kind].idOf(item);
  return { position: null, kind, programme, id, record: JSON.stringify(item) };
}

function itemOf<K extends Kind>(kind: K, { row }: FoundRow): Item<K> {
  if (sumOf(registered, row) !== row.sum) throw new DamagedItem(kind, row.programme, row.id);
  return JSON.parse(row.record) as Item<K>;
}

/** The items of rows without the damaged ones, of which `onDamage` is told. */
function wholeOf<K extends Kind>(
  kind: K,
  found: readonly FoundRow[],
  onDamage: OnDamage = refuseDamage,
): readonly Item<K>[] {
  return found.flatMap((one) => {
    try {
      return [itemOf(kind, one)];
    } catch (error) {
      if (!(error instanceof DamagedItem)) throw error;
      onDamage(error);
      return [];
    }
  });
}

interface LookUpRows {
  readonly holding: (...by: [Kind, string, string, string]) => readonly FoundRow[];
  readonly holdingAnywhere: (kind: Kind, lookUp: string, key: string) => Name[];
  /** From the keys of an item as it was to those as it is; undefined where there is none. */
  readonly change: <K extends Kind>(
    kind: K,
    before: Item<K> | undefined,
    after: Item<K> | undefined,
  ) => void;
  /** All keys of an item whose record cannot be read any more; reads all keys of the programme. */
  readonly dropAll: (kind: Kind, programme: string, id: string) => void;
}

type Name = readonly [programme: ProgrammeId, id: never];

function lookUpRows(database: DatabaseSync): LookUpRows {
  const holding = lister(
    database,
    rowPart,
    `FROM look_up JOIN registered USING (kind, programme, id)
     WHERE look_up.kind = ? AND look_up.programme = ? AND look_up.name = ? AND look_up.key = ?
     ORDER BY look_up.id`,
  );
  // There is no index by key alone, nor by identifier: commands ask these.
  const anywhere = database.prepare(
    `SELECT programme, id FROM look_up WHERE kind = ? AND name = ? AND key = ?
     ORDER BY programme, id`,
  );
  anywhere.setReturnArrays(true);
  const dropAll = database.prepare(
    'DELETE FROM look_up WHERE kind = ? AND programme = ? AND id = ?',
  );
  const insert = inserter(database, lookUps, 'ON CONFLICT DO NOTHING');
  const drop = database.prepare(
    'DELETE FROM look_up WHERE kind = ? AND programme = ? AND name = ? AND key = ? AND id = ?',
  );
  const rowsOf = <K extends Kind>(kind: K, item?: Item<K>): ReadonlyMap<string, LookUpRow> => {
    if (item === undefined) return new Map();
    const { programme } = item;
    const id = kinds[kind].idOf(item);
    return new Map(
      keysOf(kind, item).map(({ lookUp: name, key }) => [
        `${name}\0${key}`,
        { kind, programme, name, key, id },
      ]),
    );
  };
  return {
    holding,
    holdingAnywhere: (...by) => anywhere.all(...by) as unknown as Name[],
    change: (kind, before, after) => {
      const [was, is] = [rowsOf(kind, before), rowsOf(kind, after)];
      for (const [name, row] of was) {
        if (!is.has(name)) drop.run(kind, row.programme, row.name, row.key, row.id);
      }
      // Also the keys that stay: a row that was lost comes back with the next change.
      for (const row of is.values()) insert(row);
    },
    dropAll: (...name) => void dropAll.run(...name),
  };
}

type LookUpRow = Omit<RowOf<typeof lookUps>, 'sum'>;

/** What `read` reads; undefined where its row is damaged. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // Anything else is damage, a number that JavaScript cannot hold included.
    if (isOutage(error)) throw error;
    return undefined;
  }
}
