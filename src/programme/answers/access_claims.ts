// Owns the claims of a programme's access tokens where they are JWTs.

import type { Client } from '../../oauth/client.ts';
import type { TokenClaims } from '../../token/jwt.ts';
import type { Programme } from '../programme.ts';
import { type TokenFacts, tokenValues } from './token_layout.ts';

/** The claims that follow from the programme, the client and the token's facts (C-9). */
export function accessClaims(
  { issuer, audience, access, values }: Programme,
  client: Client,
  facts: TokenFacts,
): TokenClaims {
  return {
    issuer,
    audience,
    subject: facts.subject,
    clientId: client.id,
    tokenId: facts.tokenId,
    issuedAt: facts.issuedAt,
    expiresAt: facts.accessExpiresAt,
    scope: facts.scope,
    others: access.claims(tokenValues(facts, client, values)),
  };
}
