// Owns what is done in the file store with the registered things of all programmes at once.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import { type Item, type Kind, type KindDescription, kindNames, kinds } from '../kinds.ts';
import { inOrder } from '../registrations.ts';
import { sumOf, type Value } from '../sql/table.ts';
import { registered } from '../sql/tables.ts';
import { itemColumns, itemRow, readList, wholeOf } from '../verbs/item_rows.ts';

/** The items of a kind in every programme, in the order of their kind, without damaged ones. */
export function everywhere(
  database: DatabaseSync,
): <K extends Kind>(kind: K) => readonly Item<K>[] {
  const select = database.prepare(`SELECT ${itemColumns} FROM registered WHERE kind = ?`);
  select.setReturnArrays(true);
  return <K extends Kind>(kind: K) => {
    const found = readList(select.all(kind) as unknown as Value[][]);
    return inOrder(kind, wholeOf(found, () => undefined) as readonly Item<K>[]);
  };
}

/**
 * Has the items of all kinds as they are after a clock was set back, and tells whether any has changed; call
 * the result inside a write.
 */
export function itemSetBack(database: DatabaseSync): (to: Instant, from: Instant) => boolean {
  const all = everywhere(database);
  const update = database.prepare(
    'UPDATE registered SET record = ?, sum = ? WHERE kind = ? AND programme = ? AND id = ?',
  );
  return (to, from) => {
    let isChanged = false;
    for (const kind of kindNames) {
      const { setBack } = kinds[kind] as KindDescription<Kind>;
      for (const before of setBack === undefined ? [] : all(kind)) {
        const row = itemRow(kind, setBack?.(before, to, from) ?? before);
        if (row.record === JSON.stringify(before)) continue;
        update.run(row.record, sumOf(registered, row), kind, row.programme, row.id);
        isChanged = true;
      }
    }
    return isChanged;
  };
}
