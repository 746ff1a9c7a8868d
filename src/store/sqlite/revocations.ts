// Owns revoking the clients' own tokens in the file store, of a restore and of an accepted time.

import type { DatabaseSync } from 'node:sqlite';

import type { ProgrammeId } from '../../oauth/client.ts';
import type { Era } from '../../oauth/grant.ts';
import { everybody } from '../sql/revocations.ts';
import { replacing } from '../sql/statement.ts';
import { revocations } from '../sql/tables.ts';
import { inserter } from './tables.ts';

/**
 * Revokes the clients' own tokens of eras up to `until` (FAULTS 8). Codes and logins do not read this
 * row: delete them. Call it inside a write.
 */
export function revokeOwnTokens(database: DatabaseSync, until: Era): void {
  const put = inserter(
    database,
    revocations,
    `${replacing(revocations)} WHERE excluded.revoked_until > revocation.revoked_until`,
  );
  put({ programme: everybody as ProgrammeId, owner: everybody, revoked_until: until });
}
