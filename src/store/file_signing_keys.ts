// Owns signing keys in the file store; their private halves arrive sealed.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../lib/clock.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { SigningAlgorithm, SigningKeyRecord } from '../oauth/signing_key.ts';
import type { CommitQueue } from './commit_queue.ts';
import type { Store } from './contract.ts';

interface SigningKeyRow {
  readonly programme: ProgrammeId;
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly public_jwk: string;
  readonly sealed_private_jwk: string;
  readonly created_at: Instant;
}

/** The signing keys' verbs. */
export function fileSigningKeys(
  database: DatabaseSync,
  queue: CommitQueue,
): Pick<Store, 'listSigningKeys' | 'ensureSigningKey'> {
  const select = database.prepare(
    'SELECT * FROM signing_key WHERE programme = ? ORDER BY created_at, position',
  );
  const insert = database.prepare(
    `INSERT INTO signing_key
       (programme, kid, algorithm, public_jwk, sealed_private_jwk, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const list = (programme: ProgrammeId): SigningKeyRecord[] =>
    (select.all(programme) as unknown as SigningKeyRow[]).map(signingKey);
  return {
    listSigningKeys: (programme) => queue.read(() => list(programme)),
    ensureSigningKey: (programme, algorithm, candidate) =>
      queue.write(() => {
        const standing = list(programme).findLast((key) => key.algorithm === algorithm);
        if (standing !== undefined) return standing;
        const { kid, publicJwk, sealedPrivateJwk, createdAt } = candidate;
        insert.run(programme, kid, algorithm, publicJwk, sealedPrivateJwk, createdAt);
        return { ...candidate };
      }),
  };
}

function signingKey(row: SigningKeyRow): SigningKeyRecord {
  return {
    programme: row.programme,
    kid: row.kid,
    algorithm: row.algorithm,
    publicJwk: row.public_jwk,
    sealedPrivateJwk: row.sealed_private_jwk,
    createdAt: row.created_at,
  };
}
