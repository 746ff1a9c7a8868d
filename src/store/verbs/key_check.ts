// Owns the check of the master key: the first one that is kept stays.

import type { Keeping } from '../keeping.ts';
import type { Db } from '../sql/db.ts';
import { statement } from '../sql/statement.ts';
import { everywhere } from './item_rows.ts';

const types = { name: 'text', value: 'text' } as const;
const name = 'key_check';

const find = statement('find_key_check', {}, 'SELECT value FROM meta WHERE name = :name', {
  types,
});

const keepFirst = statement(
  'keep_key_check',
  {},
  'INSERT INTO meta (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING',
  { row: ['name'], types, isUrgent: true },
);

export function keyCheck(db: Db): Keeping['ensureKeyCheck'] {
  const read = db.reader(find, ([value]) => String(value));
  const keep = db.writer(keepFirst);
  const items = everywhere(db);
  return async (candidate, opens) => {
    const standing = await read.find({ name });
    if (standing !== undefined) return standing;
    const [key] = await items('signing_key');
    if (key !== undefined && !opens(key)) return undefined;
    await keep({ name, value: candidate });
    return read.find({ name });
  };
}
