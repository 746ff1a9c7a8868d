// Owns reading the rows of registered things from PostgreSQL.

import type { Item, Kind } from '../kinds.ts';
import { leftJoined, partReader } from '../sql/parts.ts';
import { expectWhole, some, type Value } from '../sql/table.ts';
import { registered, removed } from '../sql/tables.ts';
import { epochColumns, epochLength } from './epoch.ts';
import type { Found, Statement } from './link/statement.ts';
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
  return {
    item: found === null ? undefined : itemOf(kind, found),
    isTaken: found !== null || gone !== null,
  };
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
): readonly (readonly Item<Kind>[])[] {
  const holders = asked.map((): Item<Kind>[] => []);
  for (const columns of rows) {
    const index = Number(columns.at(-1)) - 1;
    const item = readItem(asked[index]?.kind, columns);
    if (item !== undefined) holders[index]?.push(item);
  }
  return holders;
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

/** The item of a row behind the columns of the epoch. */
export function readItem(
  kind: Kind | undefined,
  columns: readonly Found[],
): Item<Kind> | undefined {
  const { row: found } = rowOnly.read(columns.slice(epochLength) as Value[]);
  return found === null || kind === undefined ? undefined : itemOf(kind, found);
}

function itemOf<K extends Kind>(kind: K, found: NonNullable<(typeof row)['found']>): Item<K> {
  expectWhole(registered, found);
  return JSON.parse(found.record) as Item<K>;
}
