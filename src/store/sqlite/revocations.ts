// Owns revocations in the file store that outlive what they revoke: of all that an owner was issued
// (one row an owner, read beside each token), and of single JWTs.

import type { DatabaseSync } from 'node:sqlite';

import type { ProgrammeId } from '../../oauth/client.ts';
import type { Era } from '../../oauth/grant.ts';
import type { StandingQuestion, TokenOwner, UnrememberedToken } from '../grants.ts';
import { later, untilOf } from '../sql/grant_rows.ts';
import { type RevocationRow, revocations, revokedTokens } from '../sql/grant_tables.ts';
import { expectWhole } from '../sql/table.ts';
import type { Eras } from './eras.ts';
import { finder, from, type Insert, inserter, leftJoined } from './tables.ts';

/** Kills everything issued to the owner so far, or whatever it is `until`; call it inside a write. */
export type Revoker = (programme: ProgrammeId, whose: TokenOwner, until?: Era) => void;

export function fileRevoker(database: DatabaseSync, eras: Eras): Revoker {
  const put = revocationWriter(database);
  return (programme, whose, until = eras.end()) => {
    const owner = 'client' in whose ? clientName(whose.client) : subjectName(whose.subject);
    put({ programme, owner, revoked_until: until });
  };
}

/** Stands for programme and owner in the row that a restore leaves: it is about everybody. */
const everybody = '';

/**
 * Voids everything that was issued to anybody in eras up to `until` and is not remembered (FAULTS 8);
 * what is remembered does not ask for it and has to be deleted.
 */
export function revokeUnremembered(database: DatabaseSync, until: Era): void {
  const programme = everybody as ProgrammeId;
  revocationWriter(database)({ programme, owner: everybody, revoked_until: until });
}

/** What a statement with `revocationJoins` reads of them. */
export const revocationParts = {
  ofClient: leftJoined(revocations, 'of_client'),
  ofSubject: leftJoined(revocations, 'of_subject'),
};

/** SQL that puts the revocations beside rows of `table`; `subject` is SQL too, NULL without a member. */
export function revocationJoins(table: string, subject = `${table}.subject`): string {
  // Two joins: one with IN costs as much again as the whole query.
  return `LEFT JOIN revocation AS of_client ON of_client.programme = ${table}.programme
      AND of_client.owner = 'client ' || ${table}.client
    LEFT JOIN revocation AS of_subject ON of_subject.programme = ${table}.programme
      AND of_subject.owner = 'subject ' || ${subject}`;
}

/** Until when tokens of such a description, which are not remembered, are dead; null if they are not. */
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

/** Single tokens that are not remembered and were revoked, by their `jti`. */
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

/** Writes one row, unless one that reaches further is there. */
function revocationWriter(database: DatabaseSync): Insert<RevocationRow> {
  return inserter(
    database,
    revocations,
    `ON CONFLICT DO UPDATE SET revoked_until = excluded.revoked_until, sum = excluded.sum
     WHERE excluded.revoked_until > revoked_until`,
  );
}
