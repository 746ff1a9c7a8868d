// Owns what the rows of revocations of an owner's codes and tokens say, for every SQL backend.

import type { ProgrammeId } from '../../oauth/client.ts';
import type { Era } from '../../oauth/grant.ts';
import type { TokenOwner } from '../grants.ts';
import type { Values } from './db.ts';
import { leftJoined } from './parts.ts';
import { insertText, statement } from './statement.ts';
import { withSum } from './table.ts';
import { revocations } from './tables.ts';

/** The name of an owner in the rows. */
export function ownerName(whose: TokenOwner): string {
  return 'client' in whose ? `client ${whose.client}` : `subject ${whose.subject}`;
}

/** The programme and owner in the row that a restore writes: it covers every owner. */
export const everybody = '';

/** Writes a row, unless the row that is there has a later era. */
export const putRevocation = statement(
  'add_revocation',
  revocations.columns,
  insertText(
    revocations,
    `ON CONFLICT (programme, owner) DO UPDATE
        SET revoked_until = excluded.revoked_until, sum = excluded.sum
        WHERE excluded.revoked_until > revocation.revoked_until`,
  ),
  { row: ['programme', 'owner'] },
);

/**
 * The row that revokes the clients' own tokens of eras up to `until` (FAULTS 8). Codes and logins do not
 * read it: they are deleted.
 */
export function ofEverybody(until: Era): Values {
  const programme = everybody as ProgrammeId;
  return withSum(revocations, { programme, owner: everybody, revoked_until: until });
}

/** The columns of a statement with `revocationJoins`. */
export const revocationParts = {
  ofClient: leftJoined(revocations, 'of_client'),
  ofSubject: leftJoined(revocations, 'of_subject'),
};

/** SQL that joins the revocations to rows of `table`. */
export function revocationJoins(table: string): string {
  // Two joins: one with IN costs as much again as the whole query.
  return `LEFT JOIN revocation AS of_client ON of_client.programme = ${table}.programme
      AND of_client.owner = 'client ' || ${table}.client
    LEFT JOIN revocation AS of_subject ON of_subject.programme = ${table}.programme
      AND of_subject.owner = 'subject ' || ${table}.subject`;
}
