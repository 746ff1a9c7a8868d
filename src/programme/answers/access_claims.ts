// Owns the claims of a programme's access tokens where they are JWTs.

import type { Client } from '../../oauth/client.ts';
import type { TokenClaims } from '../../token/jwt.ts';
import type { Programme } from '../programme.ts';
import { type TokenFacts, tokenValues } from './token_layout.ts';

/**
 * The claims that follow from the programme, the client and the token's facts (C-9). With a member's `sub` that
 * is not the subject the token's header must tell its owner, by which verify knows whose the token is.
 */
export function accessClaims(programme: Programme, client: Client, facts: TokenFacts): TokenClaims {
  const { audience, access, values } = programme;
  const known = tokenValues(facts, client, values);
  const own = facts.kind === 'member' ? access.subject?.write(known) : undefined;
  // A retry after the file has changed tells an answer again that was judged by the former file.
  const isOwn = own !== undefined && own !== facts.subject && !programme.isClientSubject(own);
  return {
    issuer: access.issuer,
    audience: facts.resource ?? audience,
    isAsked: facts.resource === undefined ? undefined : true,
    subject: isOwn ? own : facts.subject,
    clientId: client.id,
    tokenId: facts.tokenId,
    issuedAt: facts.issuedAt,
    expiresAt: facts.accessExpiresAt,
    scope: facts.scope,
    others: access.claims(known),
  };
}
