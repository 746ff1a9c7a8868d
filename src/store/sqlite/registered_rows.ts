// Owns the rows of registered things in the file store: an item is one row with its record as JSON, and
// a row for each key of its look-ups.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { type Item, type Kind, type KindDescription, kindNames, kinds } from '../kinds.ts';
import type { RegisteredRows } from '../registrar.ts';
import { inOrder, keysOf, noPlace, pageOf } from '../registrations.ts';
import { damaged, rowSum } from '../sql/table.ts';
import { isOutage } from './commits/outage.ts';

type Columns = readonly [programme: ProgrammeId, id: string, record: string, sum: number];

const columns = 'registered.programme, registered.id, registered.record, registered.sum';

/** `changed` hears of each item as it was before a change and as it is after it. */
export function registeredRows(
  database: DatabaseSync,
  changed: <K extends Kind>(kind: K, item: Item<K>) => void = () => undefined,
): RegisteredRows {
  const prepare = (sql: string): ReturnType<DatabaseSync['prepare']> => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  const named = 'kind = ? AND programme = ? AND id = ?';
  const select = prepare(`SELECT ${columns} FROM registered WHERE ${named}`);
  const place = prepare(`SELECT position FROM registered WHERE ${named}`);
  const page = prepare(
    `SELECT ${columns} FROM registered WHERE kind = ? AND programme = ? AND position > ?
     ORDER BY position LIMIT ?`,
  );
  const taken = prepare(
    `SELECT 1 FROM registered WHERE kind = ?1 AND programme = ?2 AND id = ?3
     UNION ALL SELECT 1 FROM removed WHERE kind = ?1 AND programme = ?2 AND id = ?3`,
  );
  const insert = prepare(
    'INSERT INTO registered (kind, programme, id, record, sum) VALUES (?, ?, ?, ?, ?)',
  );
  const update = prepare(`UPDATE registered SET record = ?, sum = ? WHERE ${named}`);
  const drop = prepare(`DELETE FROM registered WHERE ${named}`);
  const bury = prepare(
    'INSERT INTO removed (kind, programme, id, removed_at, sum) VALUES (?, ?, ?, ?, ?)',
  );
  const advance = prepare(
    `INSERT INTO meta (name, value) VALUES (?, '1')
     ON CONFLICT DO UPDATE SET value = CAST(value AS INTEGER) + 1`,
  );
  const index = lookUpRows(database);
  const find: RegisteredRows['find'] = (kind, programme, id) => {
    const row = select.get(kind, programme, id) as Columns | undefined;
    return row && itemOf(kind, row);
  };
  const all = (...values: (string | number)[]): readonly Columns[] =>
    page.all(...values) as unknown as Columns[];
  return {
    find,
    holding: (kind, lookUp, programme, key) => {
      const items = index.holding(kind, programme, lookUp, key).map((row) => itemOf(kind, row));
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
      const { after, limit = -1 } = asked;
      if (kinds[kind].order === 'created') {
        const rows = all(kind, programme, 0, -1);
        return pageOf(
          kind,
          inOrder(
            kind,
            rows.map((row) => itemOf(kind, row)),
          ),
          asked,
        );
      }
      const found = after === undefined ? [0] : place.get(kind, programme, after);
      const [from] = (found ?? []) as unknown as readonly number[];
      if (from === undefined) throw noPlace(kind, after);
      return all(kind, programme, from, limit).map((row) => itemOf(kind, row));
    },
    isTaken: (...name) => taken.get(...name) !== undefined,
    add: (kind, item) => {
      changed(kind, item);
      const { programme } = item;
      const values = [kind, programme, kinds[kind].idOf(item), JSON.stringify(item)];
      insert.run(...values, rowSum(values));
      index.change(kind, undefined, item);
    },
    change: (kind, before, after) => {
      changed(kind, before);
      changed(kind, after);
      const name = [kind, after.programme, kinds[kind].idOf(after)];
      const record = JSON.stringify(after);
      update.run(record, rowSum([...name, record]), ...name);
      index.change(kind, before, after);
      return JSON.parse(record) as typeof after;
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
    bury: (...name) => void bury.run(...name, rowSum(name)),
    advanceEpoch: (kind) => {
      if (kinds[kind].hasEpoch) advance.run(epochName(kind));
    },
  };
}

/** The items of a kind in every programme, in the order of their kind. */
export function everywhere(
  database: DatabaseSync,
): <K extends Kind>(kind: K) => readonly Item<K>[] {
  const select = database.prepare(
    `SELECT ${columns} FROM registered WHERE kind = ? ORDER BY position`,
  );
  select.setReturnArrays(true);
  return (kind) => {
    const rows = select.all(kind) as unknown as Columns[];
    return inOrder(
      kind,
      rows.map((row) => itemOf(kind, row)),
    );
  };
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
  return (to, from) => {
    for (const kind of kindNames) {
      const { setBack } = kinds[kind] as KindDescription<typeof kind>;
      if (setBack) changeAll(kind, (item) => setBack(item, to, from));
    }
  };
}

/** See `Registry.epoch`. */
export function epochReader(database: DatabaseSync): (kind: Kind) => number {
  const select = database.prepare('SELECT value FROM meta WHERE name = ?');
  return (kind) => Number(select.get(epochName(kind))?.['value'] ?? 0);
}

function epochName(kind: Kind): string {
  return `${kind}_epoch`;
}

interface LookUpRows {
  readonly holding: (kind: Kind, programme: string, lookUp: string, key: string) => Columns[];
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
  const select = database.prepare(
    `SELECT ${columns} FROM look_up JOIN registered USING (kind, programme, id)
     WHERE look_up.kind = ? AND look_up.programme = ? AND look_up.name = ? AND look_up.key = ?
     ORDER BY look_up.id`,
  );
  select.setReturnArrays(true);
  // There is no index by key alone, nor by identifier: commands ask these.
  const anywhere = database.prepare(
    `SELECT programme, id FROM look_up WHERE kind = ? AND name = ? AND key = ?
     ORDER BY programme, id`,
  );
  anywhere.setReturnArrays(true);
  const dropAll = database.prepare(
    'DELETE FROM look_up WHERE kind = ? AND programme = ? AND id = ?',
  );
  const insert = database.prepare(
    `INSERT INTO look_up (kind, programme, name, key, id, sum) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const drop = database.prepare(
    'DELETE FROM look_up WHERE kind = ? AND programme = ? AND name = ? AND key = ? AND id = ?',
  );
  const rowsOf = <K extends Kind>(kind: K, item?: Item<K>): ReadonlyMap<string, string[]> => {
    if (item === undefined) return new Map();
    const id = kinds[kind].idOf(item);
    return new Map(
      keysOf(kind, item).map(({ lookUp, key }) => [
        `${lookUp}\0${key}`,
        [kind, item.programme, lookUp, key, id],
      ]),
    );
  };
  return {
    holding: (...by) => select.all(...by) as unknown as Columns[],
    holdingAnywhere: (...by) => anywhere.all(...by) as unknown as Name[],
    change: (kind, before, after) => {
      const [was, is] = [rowsOf(kind, before), rowsOf(kind, after)];
      for (const [name, row] of was) if (!is.has(name)) drop.run(...row);
      // Also the keys that stay: a row that was lost comes back with the next change.
      for (const row of is.values()) insert.run(...row, rowSum(row));
    },
    dropAll: (...name) => void dropAll.run(...name),
  };
}

function itemOf<K extends Kind>(kind: K, [programme, id, record, sum]: Columns): Item<K> {
  if (rowSum([kind, programme, id, record]) !== sum) throw damaged(kind);
  return JSON.parse(record) as Item<K>;
}

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
