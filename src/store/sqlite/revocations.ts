// Owns two kinds of revocations in the file store: of all codes and tokens of an owner (one row an owner,
// joined to each code and login), and of single access tokens.

import type { DatabaseSync } from 'node:sqlite';

import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Era } from '../../oauth/grant.ts';
import { isOfThisLife, revokedUntil } from '../accepted_time.ts';
import type { Store } from '../contract.ts';
import type { TokenName, TokenOwner } from '../grants.ts';
import { diedAtOnce } from '../judgement.ts';
import { untilOf } from '../sql/login_rows.ts';
import { from } from '../sql/parts.ts';
import { everybody, ownerName } from '../sql/revocations.ts';
import { expectWhole } from '../sql/table.ts';
import { type RevocationRow, revocations, revokedTokens } from '../sql/tables.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { type Freshness, nameIn, Remembered } from './commits/freshness.ts';
import type { Eras } from './eras.ts';
import { finder, type Insert, inserter, replacing } from './tables.ts';

/**
 * Revokes all codes and tokens of the owner up to the era `until`, which is the current era if left out.
 * Call it inside a write.
 */
export type Revoker = (programme: ProgrammeId, whose: TokenOwner, until?: Era) => void;

export function fileRevoker(database: DatabaseSync, fresh: Freshness, eras: Eras): Revoker {
  const put = revocationWriter(database);
  return (programme, whose, until = eras.end()) => {
    fresh.forget();
    put({ programme, owner: ownerName(whose), revoked_until: until });
  };
}

/**
 * Revokes the clients' own tokens of eras up to `until` (FAULTS 8). Codes and logins do not read this
 * row: delete them.
 */
export function revokeOwnTokens(database: DatabaseSync, until: Era): void {
  const programme = everybody as ProgrammeId;
  revocationWriter(database)({ programme, owner: everybody, revoked_until: until });
}

/** The verbs that judge and revoke access tokens by themselves. */
export function fileAccessTokens(
  database: DatabaseSync,
  queue: CommitQueue,
  fresh: Freshness,
  eras: Eras,
  revoked: RevokedOnes,
): Pick<Store, 'era' | 'revokeToken' | 'isStanding'> {
  const diedOf = ownRevocations(database, fresh);
  return {
    era: () => queue.read(eras.current),
    revokeToken: (programme, token, now) =>
      queue.writeFromReserve(() => {
        if (revokedUntil(token) > now) revoked.add(programme, token);
        // Over by the clock, which may be set back later.
        else eras.forget(revokedUntil(token));
      }),
    isStanding: (programme, { tokenId, expiresAt, own }) =>
      queue.read(() => {
        if (revoked.has(programme, tokenId)) return false;
        if (own === undefined) return true;
        if (!isOfThisLife(own, expiresAt, eras.current(), eras.accepted())) return false;
        return !diedAtOnce(own.era, diedOf(programme, own.client));
      }),
  };
}

/** Tokens and clients remembered. */
const mostAsked = 10_000;

/** Access tokens that were revoked by themselves. */
export interface RevokedOnes {
  /** Call it inside a write. */
  readonly add: (programme: ProgrammeId, token: TokenName) => void;
  readonly has: (programme: ProgrammeId, tokenId: string) => boolean;
}

export function revokedOnes(database: DatabaseSync, fresh: Freshness): RevokedOnes {
  // A token that was revoked is also replaced later (`live: one`): its row stays as long as it was to.
  const insert = inserter(
    database,
    revokedTokens,
    `${replacing(revokedTokens)} WHERE excluded.expires_at > expires_at`,
  );
  const find = finder(
    database,
    { row: from(revokedTokens, 'revoked_token') },
    'FROM revoked_token WHERE programme = ? AND key = ?',
  );
  const select = database.prepare('SELECT 1 FROM revoked_token WHERE programme = ? LIMIT 1');
  // Whether a programme has any such token, which most have not.
  const some = new Remembered<boolean>(fresh, mostAsked);
  // A gateway asks about the same tokens again and again (C-4).
  const standing = new Remembered<true>(fresh, mostAsked);
  const isAbsent = (programme: ProgrammeId, key: string): true | undefined => {
    const row = find(programme, key)?.row;
    if (row !== undefined) expectWhole(revokedTokens, row);
    return row === undefined ? true : undefined;
  };
  return {
    add: (programme, token) => {
      const { tokenId: key } = token;
      insert({ programme, key, expires_at: revokedUntil(token) });
      some.take(programme);
      standing.take(nameIn(programme, key));
    },
    has: (programme, key) => {
      if (!some.get(programme, () => select.get(programme) !== undefined)) return false;
      return standing.get(nameIn(programme, key), () => isAbsent(programme, key)) === undefined;
    },
  };
}

/** The last era of which a client's own tokens are revoked; 0, before every era, where there is none. */
function ownRevocations(
  database: DatabaseSync,
  fresh: Freshness,
): (programme: ProgrammeId, client: ClientId) => Era {
  const select = database.prepare(
    `SELECT programme, owner, revoked_until, sum FROM revocation
     WHERE (programme, owner) IN (VALUES (?, ?), ('${everybody}', '${everybody}'))`,
  );
  const held = new Remembered<Era>(fresh, mostAsked);
  const none = 0 as Era;
  return (programme, client) => {
    const read = (): Era => {
      const rows = select.all(programme, ownerName({ client })) as unknown as RevocationRow[];
      return Math.max(none, ...rows.map((row) => untilOf(row) ?? none)) as Era;
    };
    return held.get(nameIn(programme, client), read) ?? none;
  };
}

/** Writes one row, unless the row that is there has a later era. */
function revocationWriter(database: DatabaseSync): Insert<RevocationRow> {
  return inserter(
    database,
    revocations,
    `${replacing(revocations)} WHERE excluded.revoked_until > revoked_until`,
  );
}
