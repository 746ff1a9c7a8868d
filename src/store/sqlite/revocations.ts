// Owns two kinds of revocations in the file store: of all codes and tokens of an owner (one row an owner,
// joined to each token), and of single JWTs.

import type { DatabaseSync } from 'node:sqlite';

import type { ProgrammeId } from '../../oauth/client.ts';
import type { Era } from '../../oauth/grant.ts';
import type { StandingQuestion, TokenOwner, UnrememberedToken } from '../grants.ts';
import { later, untilOf } from '../sql/grant_rows.ts';
import { type RevocationRow, revocations, revokedTokens } from '../sql/grant_tables.ts';
import { expectWhole } from '../sql/table.ts';
import type { Eras } from './eras.ts';
import { finder, from, type Insert, inserter, leftJoined } from './tables.ts';

/**
 * Revokes all codes and tokens of the owner up to the era `until`, which is the current era if left out.
 * Call it inside a write.
 */
export type Revoker = (programme: ProgrammeId, whose: TokenOwner, until?: Era) => void;

export function fileRevoker(database: DatabaseSync, eras: Eras): Revoker {
  const put = revocationWriter(database);
  return (programme, whose, until = eras.end()) => {
    const owner = 'client' in whose ? clientName(whose.client) : subjectName(whose.subject);
    put({ programme, owner, revoked_until: until });
  };
}

/** The programme and owner in the row that a restore writes: it covers every owner. */
const everybody = '';

/**
 * Revokes the JWTs of all owners of eras up to `until` (FAULTS 8). Stored codes and tokens do not read
 * this row: delete them.
 */
export function revokeUnremembered(database: DatabaseSync, until: Era): void {
  const programme = everybody as ProgrammeId;
  revocationWriter(database)({ programme, owner: everybody, revoked_until: until });
}

/** The columns of a statement with `revocationJoins`. */
export const revocationParts = {
  ofClient: leftJoined(revocations, 'of_client'),
  ofSubject: leftJoined(revocations, 'of_subject'),
};

/** SQL that joins the revocations to rows of `table`; `subject` is SQL too, NULL without a member. */
export function revocationJoins(table: string, subject = `${table}.subject`): string {
  // Two joins: one with IN costs as much again as the whole query.
  return `LEFT JOIN revocation AS of_client ON of_client.programme = ${table}.programme
      AND of_client.owner = 'client ' || ${table}.client
    LEFT JOIN revocation AS of_subject ON of_subject.programme = ${table}.programme
      AND of_subject.owner = 'subject ' || ${subject}`;
}

/** The last revoked era of the owners of a JWT; null if none is revoked. */
export function unrememberedUntil(
  database: DatabaseSync,
): (programme: ProgrammeId, token: StandingQuestion) => Era | null {
  const select = database.prepare(
    `SELECT programme, owner, revoked_until, sum FROM revocation
     WHERE programme = ? AND owner IN (?, ?) OR programme = ? AND owner = ?`,
  );
  return (programme, { client, subject }) => {
    const owners = [clientName(client), subjectName(subject)] as const;
    const rows = select.all(programme, ...owners, everybody, everybody);
    return (rows as unknown as RevocationRow[]).reduce<Era | null>(
      (until, row) => later(until, untilOf(row)),
      null,
    );
  };
}

/** Single revoked JWTs, by their `jti`. */
export interface RevokedTokens {
  /** Call it inside a write. */
  readonly add: (programme: ProgrammeId, token: UnrememberedToken) => void;
  readonly has: (programme: ProgrammeId, tokenId: string) => boolean;
}

export function fileRevokedTokens(database: DatabaseSync): RevokedTokens {
  const find = finder(
    database,
    { row: from(revokedTokens, 'revoked_token') },
    'FROM revoked_token WHERE programme = ? AND key = ?',
  );
  const replace = inserter(
    database,
    revokedTokens,
    'ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at, sum = excluded.sum',
  );
  return {
    add: (programme, { tokenId, expiresAt }) =>
      void replace({ programme, key: tokenId, expires_at: expiresAt }),
    has: (programme, tokenId) => {
      const row = find(programme, tokenId)?.row;
      if (row !== undefined) expectWhole(revokedTokens, row);
      return row !== undefined;
    },
  };
}

function clientName(client: string): string {
  return `client ${client}`;
}

function subjectName(subject: string): string {
  return `subject ${subject}`;
}

/** Writes one row, unless the row that is there has a later era. */
function revocationWriter(database: DatabaseSync): Insert<RevocationRow> {
  return inserter(
    database,
    revocations,
    `ON CONFLICT DO UPDATE SET revoked_until = excluded.revoked_until, sum = excluded.sum
     WHERE excluded.revoked_until > revoked_until`,
  );
}
