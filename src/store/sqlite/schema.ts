// Owns the tables of the file store and the numbers that mark a file as one.

import { grantTables } from '../sql/grant_tables.ts';
import { registryTables } from './registry_schema.ts';
import { createTable } from './tables.ts';

/** `Jetw`, in the header of every store file (PRAGMA application_id). */
export const applicationId = 0x4a65_7477;

/** The schema below; a file with a higher number was written by a newer Jetway. */
export const schemaVersion = 6;

/**
 * Without sums: a process whose lease is not what it wrote takes another number, and a use of a secret
 * may be lost anyway.
 */
const otherTables = `
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE login_attempt (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  used INTEGER NOT NULL,
  window_ends_at INTEGER NOT NULL,
  locked_until INTEGER,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE secret_use (
  programme TEXT NOT NULL,
  client TEXT NOT NULL,
  digest TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (programme, client, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE node_lease (
  node INTEGER PRIMARY KEY,
  holder TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
`;

/** All tables. */
export const schema: string = [
  registryTables,
  ...grantTables.map((table) => createTable(table)),
  otherTables,
].join('');
