// Owns the check of the master key in PostgreSQL.

import type { Keeping } from '../keeping.ts';
import type { Item, Kind } from '../kinds.ts';
import type { Value } from '../sql/table.ts';
import { itemColumns, readList, wholeOf } from '../verbs/item_rows.ts';
import type { Link } from './link/link.ts';
import type { Statement } from './link/statement.ts';

const get: Statement = {
  name: 'get_key_check',
  text: `SELECT value FROM meta WHERE name = 'key_check'`,
  isRead: true,
};
const keepFirst: Statement = {
  name: 'keep_key_check',
  text: `INSERT INTO meta (name, value) VALUES ('key_check', $1) ON CONFLICT DO NOTHING`,
  isRead: false,
};

const list: Statement = {
  name: 'list_everywhere',
  text: `SELECT ${itemColumns} FROM registered WHERE kind = $1`,
  isRead: true,
};

export function keyCheck(care: Link): Keeping['ensureKeyCheck'] {
  const kept = async (): Promise<string | undefined> => {
    const [[value] = []] = await care.run(get, []);
    return value as string | undefined;
  };
  return async (candidate, opens) => {
    const standing = await kept();
    if (standing !== undefined) return standing;
    const [key] = await everywhere(care, 'signing_key');
    if (key !== undefined && !opens(key)) return undefined;
    await care.run(keepFirst, [candidate]);
    return kept();
  };
}

/** The items of a kind in every programme, in the order of registration, without damaged ones. */
export async function everywhere<K extends Kind>(care: Link, kind: K): Promise<readonly Item<K>[]> {
  const rows = await care.run(list, [kind]);
  return wholeOf(readList(rows as Value[][]), () => undefined);
}
