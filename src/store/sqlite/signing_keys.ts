// Owns signing keys in the file store; their private halves arrive sealed.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { SigningAlgorithm, SigningKeyRecord } from '../../oauth/signing_key.ts';
import type { Store } from '../contract.ts';
import { signingKeyChanges } from '../judgement.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { expectSum, rowSum } from './sums.ts';

interface SigningKeyRow {
  readonly programme: ProgrammeId;
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly public_jwk: string;
  readonly sealed_private_jwk: string;
  readonly created_at: Instant;
  readonly signs_from: Instant | null;
  readonly retires_at: Instant | null;
  readonly sum: number;
}

type SigningKeyVerbs = Pick<Store, 'listSigningKeys' | 'changeSigningKeys' | 'signingKeyEpoch'>;

/** The signing keys' verbs. */
export function fileSigningKeys(database: DatabaseSync, queue: CommitQueue): SigningKeyVerbs {
  const epoch = epochCounter(database);
  const rows = signingKeyRows(database);
  return {
    listSigningKeys: (programme) => queue.read(() => rows.list(programme)),
    // From the reserve: a key that was stolen must go even when the disk is full.
    changeSigningKeys: (programme, change) =>
      queue.writeFromReserve(() => {
        const before = rows.list(programme);
        const { added, changed, removed } = signingKeyChanges(programme, before, change(before));
        if (added.length + changed.length + removed.length === 0) return before;
        for (const { kid } of removed) rows.remove(programme, kid);
        for (const key of changed) rows.change(key);
        for (const key of added) rows.add(key);
        epoch.advance();
        return rows.list(programme);
      }),
    signingKeyEpoch: () => queue.read(epoch.current),
  };
}

/**
 * Has keys that began to sign between two times begin at the earlier one, for a clock that is set back
 * to it: what was made to sign goes on signing. Call the result inside a write.
 */
export function signingKeeper(database: DatabaseSync): (to: Instant, from: Instant) => void {
  const epoch = epochCounter(database);
  const rows = signingKeyRows(database);
  return (to, from) => {
    const begun = rows.begun(to, from);
    for (const key of begun) rows.change({ ...key, signsFrom: to });
    if (begun.length > 0) epoch.advance();
  };
}

interface SigningKeyRows {
  readonly list: (programme: ProgrammeId) => readonly SigningKeyRecord[];
  readonly add: (key: SigningKeyRecord) => void;
  readonly change: (after: SigningKeyRecord) => void;
  readonly remove: (programme: ProgrammeId, kid: string) => void;
  /** Those of any programme that are told to sign from a time between. */
  readonly begun: (after: Instant, upTo: Instant) => readonly SigningKeyRecord[];
}

function signingKeyRows(database: DatabaseSync): SigningKeyRows {
  const select = database.prepare(
    'SELECT * FROM signing_key WHERE programme = ? ORDER BY created_at, position',
  );
  const insert = database.prepare(
    `INSERT INTO signing_key
       (programme, kid, algorithm, public_jwk, sealed_private_jwk, created_at, signs_from,
        retires_at, sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = database.prepare(
    `UPDATE signing_key SET algorithm = ?, public_jwk = ?, sealed_private_jwk = ?, created_at = ?,
       signs_from = ?, retires_at = ?, sum = ?
     WHERE programme = ? AND kid = ?`,
  );
  const drop = database.prepare('DELETE FROM signing_key WHERE programme = ? AND kid = ?');
  const begun = database.prepare(
    'SELECT * FROM signing_key WHERE signs_from > ? AND signs_from <= ?',
  );
  return {
    list: (programme) => (select.all(programme) as unknown as SigningKeyRow[]).map(signingKey),
    begun: (from, upTo) => (begun.all(from, upTo) as unknown as SigningKeyRow[]).map(signingKey),
    add: (key) => {
      const values = valuesOf(key);
      insert.run(...values, rowSum(values));
    },
    change: (after) => {
      const [programme, kid, ...rest] = valuesOf(after);
      update.run(...rest, rowSum([programme, kid, ...rest]), programme, kid);
    },
    remove: (programme, kid) => void drop.run(programme, kid),
  };
}

/** The key of any programme that was made first. */
export function oldestSigningKey(database: DatabaseSync): () => SigningKeyRecord | undefined {
  const select = database.prepare(
    'SELECT * FROM signing_key ORDER BY created_at, position LIMIT 1',
  );
  return () => {
    const row = select.get() as SigningKeyRow | undefined;
    return row && signingKey(row);
  };
}

/** Tells the changes of all programmes' keys apart, across processes. */
function epochCounter(database: DatabaseSync): {
  readonly current: () => number;
  readonly advance: () => void;
} {
  const select = database.prepare(`SELECT value FROM meta WHERE name = 'signing_key_epoch'`);
  const advance = database.prepare(
    `INSERT INTO meta (name, value) VALUES ('signing_key_epoch', '1')
     ON CONFLICT DO UPDATE SET value = CAST(value AS INTEGER) + 1`,
  );
  return {
    current: () => Number(select.get()?.['value'] ?? 0),
    advance: () => void advance.run(),
  };
}

type Values = readonly [
  string,
  string,
  string,
  string,
  string,
  number,
  number | null,
  number | null,
];

function valuesOf(key: SigningKeyRecord): Values {
  const names = [
    key.programme,
    key.kid,
    key.algorithm,
    key.publicJwk,
    key.sealedPrivateJwk,
  ] as const;
  return [...names, key.createdAt, key.signsFrom ?? null, key.retiresAt ?? null];
}

function signingKey(row: SigningKeyRow): SigningKeyRecord {
  const { signs_from: signsFrom, retires_at: retiresAt } = row;
  const key: SigningKeyRecord = {
    programme: row.programme,
    kid: row.kid,
    algorithm: row.algorithm,
    publicJwk: row.public_jwk,
    sealedPrivateJwk: row.sealed_private_jwk,
    createdAt: row.created_at,
    ...(signsFrom === null ? {} : { signsFrom }),
    ...(retiresAt === null ? {} : { retiresAt }),
  };
  expectSum('signing_key', row.sum, valuesOf(key));
  return key;
}
