// Owns the single values of a store file, by name.

import type { DatabaseSync } from 'node:sqlite';

import { prepareToRun } from './commits/transactions.ts';

export interface Meta {
  readonly get: (name: string) => string | undefined;
  readonly number: (name: string) => number | undefined;
  /** Call it inside a write. */
  readonly put: (name: string, value: string | number) => void;
}

export function metaOf(database: DatabaseSync): Meta {
  const select = database.prepare('SELECT value FROM meta WHERE name = ?');
  const replace = prepareToRun(database, 'REPLACE INTO meta (name, value) VALUES (?, ?)');
  const get: Meta['get'] = (name) => select.get(name)?.['value'] as string | undefined;
  return {
    get,
    number: (name) => {
      const value = get(name);
      return value === undefined ? undefined : Number(value);
    },
    put: (name, value) => void replace.run(name, String(value)),
  };
}
