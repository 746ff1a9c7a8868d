// Owns revocations in the file store that outlive what they revoke: of all that an owner was issued
// (one row an owner, read beside each token), and of single JWTs.

import type { DatabaseSync } from 'node:sqlite';

import type { ProgrammeId } from '../../oauth/client.ts';
import type { Era } from '../../oauth/grant.ts';
import type { StandingQuestion, TokenOwner, UnrememberedToken } from '../grants.ts';
import type { Eras } from './eras.ts';
import { expectSum, rowSum } from './sums.ts';

/** Kills everything issued to the owner so far, or whatever it is `until`; call it inside a write. */
export type Revoker = (programme: ProgrammeId, whose: TokenOwner, until?: Era) => void;

export function fileRevoker(database: DatabaseSync, eras: Eras): Revoker {
  const put = revocationWriter(database);
  return (programme, whose, until = eras.end()) => {
    const owner = 'client' in whose ? clientName(whose.client) : subjectName(whose.subject);
    put(programme, owner, until);
  };
}

/** Stands for programme and owner in the row that a restore leaves: it is about everybody. */
const everybody = '';

/**
 * Voids everything that was issued to anybody in eras up to `until` and is not remembered (FAULTS 8);
 * what is remembered does not ask for it and has to be deleted.
 */
export function revokeUnremembered(database: DatabaseSync, until: Era): void {
  revocationWriter(database)(everybody, everybody, until);
}

/** The revocations of a row's client and member; nulls where there are none. */
export interface RevocationColumns {
  readonly client_until: Era | null;
  readonly client_sum: number | null;
  readonly subject_until: Era | null;
  readonly subject_sum: number | null;
}

/** SQL for the columns that `revocationJoins` gives. */
export const revocationColumns = `of_client.revoked_until AS client_until,
  of_client.sum AS client_sum, of_subject.revoked_until AS subject_until,
  of_subject.sum AS subject_sum`;

/** SQL that puts the revocations beside rows of `table`; `subject` is SQL too, NULL without a member. */
export function revocationJoins(table: string, subject = `${table}.subject`): string {
  // Two joins: one with IN costs as much again as the whole query.
  return `LEFT JOIN revocation AS of_client ON of_client.programme = ${table}.programme
      AND of_client.owner = 'client ' || ${table}.client
    LEFT JOIN revocation AS of_subject ON of_subject.programme = ${table}.programme
      AND of_subject.owner = 'subject ' || ${subject}`;
}

/** Until when what such a row was issued is dead with all of its owner's tokens; null if it is not. */
export function revokedUntil(
  row: RevocationColumns & { readonly programme: string; readonly client: string },
  subject: string,
): Era | null {
  const { programme, client_until: byClient, subject_until: bySubject } = row;
  if (byClient !== null) checkRow(programme, clientName(row.client), byClient, row.client_sum);
  if (bySubject !== null) checkRow(programme, subjectName(subject), bySubject, row.subject_sum);
  return later(byClient, bySubject);
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
    const rows = select.all(programme, ...owners, everybody, everybody) as unknown as Row[];
    return rows.reduce<Era | null>((so, row) => {
      checkRow(row.programme, row.owner, row.revoked_until, row.sum);
      return later(so, row.revoked_until);
    }, null);
  };
}

/** Single tokens that are not remembered and were revoked, by their `jti`. */
export interface RevokedTokens {
  /** Call it inside a write. */
  readonly add: (programme: ProgrammeId, token: UnrememberedToken) => void;
  readonly has: (programme: ProgrammeId, tokenId: string) => boolean;
}

export function revokedTokens(database: DatabaseSync): RevokedTokens {
  const select = database.prepare(
    'SELECT expires_at, sum FROM revoked_token WHERE programme = ? AND key = ?',
  );
  const replace = database.prepare(
    'REPLACE INTO revoked_token (programme, key, expires_at, sum) VALUES (?, ?, ?, ?)',
  );
  return {
    add: (programme, { tokenId, expiresAt }) => {
      const values = [programme, tokenId, expiresAt];
      replace.run(...values, rowSum(values));
    },
    has: (programme, tokenId) => {
      const row = select.get(programme, tokenId);
      if (row === undefined) return false;
      expectSum('revoked_token', Number(row['sum']), [
        programme,
        tokenId,
        Number(row['expires_at']),
      ]);
      return true;
    },
  };
}

interface Row {
  readonly programme: string;
  readonly owner: string;
  readonly revoked_until: Era;
  readonly sum: number;
}

function clientName(client: string): string {
  return `client ${client}`;
}

function subjectName(subject: string): string {
  return `subject ${subject}`;
}

function checkRow(programme: string, owner: string, until: Era, sum: number | null): void {
  expectSum('revocation', sum ?? 0, [programme, owner, until]);
}

function later(a: Era | null, b: Era | null): Era | null {
  return a === null || (b !== null && b > a) ? b : a;
}

/** Writes one row, unless one that reaches further is there. */
function revocationWriter(
  database: DatabaseSync,
): (programme: string, owner: string, until: Era) => void {
  const upsert = database.prepare(
    `INSERT INTO revocation (programme, owner, revoked_until, sum) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET revoked_until = excluded.revoked_until, sum = excluded.sum
     WHERE excluded.revoked_until > revoked_until`,
  );
  return (programme, owner, until) => {
    upsert.run(programme, owner, until, rowSum([programme, owner, until]));
  };
}
