// Owns the tables of the file store and the numbers that mark a file as one.

import { registryTables } from './registry_schema.ts';

/** `Jetw`, in the header of every store file (PRAGMA application_id). */
export const applicationId = 0x4a65_7477;

/** The schema below; a file with a higher number was written by a newer Jetway. */
export const schemaVersion = 6;

/**
 * Tables of what was granted. Tokens are keyed by programme and TokenKey without a rowid: keys that
 * begin with the time of issue land on the same few pages, and a verb writes one tree per row.
 * There is no index by expiry; sweeps walk the key order instead. There are no foreign keys to
 * `family`: forgetting a family would have to search every token, and a token without its family is
 * worth nothing anyway.
 *
 * The keys of codes may be random all over. Codes lie in the order of their issue, so that those
 * spent together, which were issued together, share pages, and only their two indices are written
 * all over the place.
 *
 * `revocation` has one row an owner, however much that owner was issued; `revoked_until` is the era
 * that ended with it (eras.ts).
 */
export const grantTables: Readonly<
  Record<
    'code' | 'family' | 'refresh_token' | 'access_token' | 'revocation' | 'revoked_token',
    string
  >
> = {
  code: `
CREATE TABLE code (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  login TEXT NOT NULL,
  client TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  member TEXT NOT NULL,
  subject TEXT NOT NULL,
  scope TEXT,
  code_challenge TEXT,
  issued_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  forget_at INTEGER NOT NULL,
  spent_for TEXT,
  era INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key),
  UNIQUE (programme, login)
) STRICT;
`,
  family: `
CREATE TABLE family (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  client TEXT NOT NULL,
  member TEXT NOT NULL,
  subject TEXT NOT NULL,
  scope TEXT,
  created_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  revoked_at INTEGER,
  era INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
`,
  refresh_token: `
CREATE TABLE refresh_token (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  family TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  predecessor TEXT,
  successor TEXT,
  sealed_answer TEXT,
  retry_until INTEGER,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
`,
  access_token: `
CREATE TABLE access_token (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  client TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  family TEXT,
  scope TEXT,
  issued_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  era INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
`,
  revocation: `
CREATE TABLE revocation (
  programme TEXT NOT NULL,
  owner TEXT NOT NULL,
  revoked_until INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, owner)
) STRICT, WITHOUT ROWID;
`,
  revoked_token: `
CREATE TABLE revoked_token (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
`,
};

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
export const schema: string = [registryTables, ...Object.values(grantTables), otherTables].join('');
