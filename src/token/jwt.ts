// Owns signed tokens: the claims every access token carries, and their signature.

import { SignJWT } from 'jose';
import { epochSeconds, type Instant } from '../lib/clock.ts';
import type { SigningKey } from './signing_keys.ts';

/** `typ` of access tokens (RFC 9068 2.1): no other kind of JWT passes for one. */
export const accessTokenType = 'at+jwt';

export interface AccessClaims {
  readonly issuer: string;
  readonly audience: string;
  readonly subject: string;
  readonly clientId: string;
  readonly tokenId: string;
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
  readonly scope?: string;
  /** The token's family, so that a revoked login's tokens can be told. */
  readonly family?: string;
  /** Claims of the dialect's own; those above win. */
  readonly others: Readonly<Record<string, unknown>>;
}

/** Signs an access token as RFC 9068 lays it out (C-9). */
export async function signAccessToken(key: SigningKey, claims: AccessClaims): Promise<string> {
  const payload = {
    ...claims.others,
    iss: claims.issuer,
    aud: claims.audience,
    sub: claims.subject,
    client_id: claims.clientId,
    jti: claims.tokenId,
    iat: epochSeconds(claims.issuedAt),
    exp: epochSeconds(claims.expiresAt),
    ...(claims.scope === undefined ? {} : { scope: claims.scope }),
    ...(claims.family === undefined ? {} : { family: claims.family }),
  };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: key.algorithm, typ: accessTokenType, kid: key.kid })
    .sign(key.privateKey);
}
