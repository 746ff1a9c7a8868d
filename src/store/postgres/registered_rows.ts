// Owns reading the rows of registered things from PostgreSQL.

import type { Item, Kind } from '../kinds.ts';
import { leftJoined, partReader } from '../sql/parts.ts';
import { some, sumOf, type Value } from '../sql/table.ts';
import { registered, removed } from '../sql/tables.ts';
import { DamagedItem, type OnDamage, refuseDamage } from '../unusable.ts';
import { epochColumns, epochLength } from './epoch.ts';
import type { Found, Rows, Statement } from './link/statement.ts';
import { arrayRows } from './tables.ts';

/** The name of an item; `id` holds no NUL, which no text of PostgreSQL can. */
export interface ItemName {
  readonly kind: Kind;
  readonly programme: string;
  readonly id: string;
}

/** What is known of a name. */
export interface NamedRow<K extends Kind = Kind> {
  readonly item: Item<K> | undefined;
  /** There is an item, whose row is damaged. */
  readonly damage?: DamagedItem;
  /** See `Registry.isTaken`. */
  readonly isTaken: boolean;
}

/** Names as parameters of a statement. */
export const names = arrayRows({ kind: 'text', programme: 'text', id: 'text' });
const row = leftJoined(registered, 'registered');
const named = partReader({ row, gone: leftJoined(some(removed, 'id'), 'removed') });
const rowOnly = partReader({ row });

export const findNamed: Statement = {
  name: 'find_named',
  text: `SELECT ${epochColumns}, ${named.columns} FROM epoch CROSS JOIN ${names.from('asked')}
    LEFT JOIN registered USING (kind, programme, id)
    LEFT JOIN removed USING (kind, programme, id) ORDER BY asked.n`,
  isRead: true,
};

export function readNamed({ kind }: ItemName, columns: readonly Found[]): NamedRow {
  const { row: found, gone } = named.read(columns.slice(epochLength) as Value[]);
  if (found === null) return { item: undefined, isTaken: gone !== null };
  const read = itemOf(kind, found);
  return read instanceof DamagedItem
    ? { item: undefined, damage: read, isTaken: true }
    : { item: read, isTaken: true };
}

/** Items by a key of a look-up; in every programme where `programme` is null. */
export interface KeyName {
  readonly kind: Kind;
  readonly programme: string | null;
  readonly name: string;
  readonly key: string;
}

const keys = arrayRows({ kind: 'text', programme: 'text', name: 'text', key: 'text' });

export const findHolders: Statement = {
  name: 'find_holders',
  text: `SELECT ${epochColumns}, ${rowOnly.columns}, asked.n FROM epoch CROSS JOIN ${keys.from('asked')}
    LEFT JOIN (look_up JOIN registered USING (kind, programme, id))
      ON look_up.kind = asked.kind AND look_up.name = asked.name AND look_up.key = asked.key
      AND look_up.programme = coalesce(asked.programme, look_up.programme)
    ORDER BY asked.n, registered.programme, registered.id`,
  isRead: true,
};
export const keysAsked: typeof keys.values = keys.values;

/** The holders of each key, in the order of the keys. */
export function readHolders(
  asked: readonly KeyName[],
  rows: readonly (readonly Found[])[],
): readonly (readonly (Item<Kind> | DamagedItem)[])[] {
  const holders = asked.map((): (Item<Kind> | DamagedItem)[] => []);
  for (const columns of rows) {
    const index = Number(columns.at(-1)) - 1;
    const item = readRow(asked[index]?.kind, columns);
    if (item !== undefined) holders[index]?.push(item);
  }
  return holders;
}

/** Without the damaged ones, of which `onDamage` is told. */
export function wholeOf(
  found: readonly (Item<Kind> | DamagedItem)[],
  onDamage: OnDamage = refuseDamage,
): readonly Item<Kind>[] {
  return found.filter((one) => {
    if (!(one instanceof DamagedItem)) return true;
    onDamage(one);
    return false;
  }) as readonly Item<Kind>[];
}

export const listRows: Statement = {
  name: 'list_registered',
  text: `SELECT ${epochColumns}, ${rowOnly.columns} FROM epoch LEFT JOIN registered
      ON kind = $1 AND programme = coalesce($2, programme) AND position > coalesce((
        SELECT position FROM registered AS before
        WHERE before.kind = $1 AND before.programme = $2 AND before.id = $3), 0)
    ORDER BY position LIMIT $4`,
  isRead: true,
};

/** The items of rows of `listRows`. */
export function readItems<K extends Kind>(
  kind: K,
  rows: Rows,
  onDamage?: OnDamage,
): readonly Item<K>[] {
  const found = rows.flatMap((columns) => readRow(kind, columns) ?? []);
  return wholeOf(found, onDamage);
}

/** The item of a row behind the columns of the epoch. */
function readRow(
  kind: Kind | undefined,
  columns: readonly Found[],
): Item<Kind> | DamagedItem | undefined {
  const { row: found } = rowOnly.read(columns.slice(epochLength) as Value[]);
  return found === null || kind === undefined ? undefined : itemOf(kind, found);
}

function itemOf<K extends Kind>(
  kind: K,
  found: NonNullable<(typeof row)['found']>,
): Item<K> | DamagedItem {
  return sumOf(registered, found) === found.sum
    ? (JSON.parse(found.record) as Item<K>)
    : new DamagedItem(kind, found.programme, found.id);
}
