// Owns the tables of registered things in the file store.

/**
 * One set of tables for all kinds (store/kinds.ts). `record` is the item as JSON. `position` keeps the
 * order of registration, and its index lists a programme's items of a kind in that order. `look_up`
 * finds items by keys in their records. `removed` keeps identifiers that are never given out again.
 */
export const registryTables = `
CREATE TABLE registered (
  position INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  programme TEXT NOT NULL,
  id TEXT NOT NULL,
  record TEXT NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE (kind, programme, id),
  UNIQUE (kind, programme, position)
) STRICT;

CREATE TABLE look_up (
  kind TEXT NOT NULL,
  programme TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  id TEXT NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (kind, programme, name, key, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE removed (
  kind TEXT NOT NULL,
  programme TEXT NOT NULL,
  id TEXT NOT NULL,
  removed_at INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (kind, programme, id)
) STRICT, WITHOUT ROWID;
`;

/** The columns of each table that its rows' sums cover, in the order in which they are written. */
export const registryColumns = {
  registered: ['kind', 'programme', 'id', 'record'],
  look_up: ['kind', 'programme', 'name', 'key', 'id'],
  removed: ['kind', 'programme', 'id', 'removed_at'],
} as const;

export type RegistryTable = keyof typeof registryColumns;
