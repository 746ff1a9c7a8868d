// Owns the forms of tokens (opaque random text, or a signed JWT) and of their identifiers (`jti`).

import { randomUUID } from 'node:crypto';

import { SignJWT } from 'jose';

import { epochSeconds, type Instant } from '../lib/clock.ts';
import type { Era } from '../oauth/grant.ts';
import { newToken } from '../oauth/token_key.ts';
import type { SigningKey } from './signing_keys.ts';

/** `typ` of access tokens (RFC 9068 2.1); verifiers accept no other kind of JWT (HOSTILE 35). */
export const accessTokenType = 'at+jwt';

/** `typ` of refresh tokens, which no verifier of access tokens accepts. */
export const refreshTokenType = 'rt+jwt';

/** C-9. */
export interface TokenClaims {
  readonly issuer: string;
  readonly audience: string;
  readonly subject: string;
  readonly clientId: string;
  readonly tokenId: string;
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
  readonly scope?: string | undefined;
  /** The token's family, so that the tokens of a revoked login are refused. */
  readonly family?: string | undefined;
  /**
   * The era in which a token without a family was issued. It is in the header: only this service
   * needs it, and the claims belong to the dialect.
   */
  readonly era?: Era | undefined;
  /** The dialect's own claims; the claims above override them. */
  readonly others?: Readonly<Record<string, unknown>>;
}

export interface TokenFormat {
  /** Whether the store has to remember a token. */
  readonly opaque: boolean;
  /** `claims` is called only for a JWT. */
  readonly make: (now: Instant, claims: () => TokenClaims) => string | Promise<string>;
}

export const opaqueFormat: TokenFormat = { opaque: true, make: (now) => newToken(now) };

/** Signed tokens of one `typ` (RFC 9068), by the key that signs at the moment. */
export function jwtFormat(signer: (now: Instant) => SigningKey, type: string): TokenFormat {
  return {
    opaque: false,
    make: (now, claims) => {
      const { kid, algorithm, privateKey } = signer(now);
      const told = claims();
      const { era } = told;
      return new SignJWT(payloadOf(told))
        .setProtectedHeader({
          alg: algorithm,
          typ: type,
          kid,
          ...(era === undefined ? {} : { era }),
        })
        .sign(privateKey);
    },
  };
}

function payloadOf(claims: TokenClaims): Record<string, unknown> {
  const { scope, family } = claims;
  return {
    ...claims.others,
    iss: claims.issuer,
    aud: claims.audience,
    sub: claims.subject,
    client_id: claims.clientId,
    jti: claims.tokenId,
    iat: epochSeconds(claims.issuedAt),
    exp: epochSeconds(claims.expiresAt),
    ...(scope === undefined ? {} : { scope }),
    ...(family === undefined ? {} : { family }),
  };
}

export type TokenIdForm = 'uuid' | 'number';

/** Milliseconds since then take 41 bits until 2089; two more count within a millisecond. */
const epoch = Date.parse('2020-01-01T00:00:00Z');
const perMillisecond = 4;
/** Ten of the 53 bits of a number: the process that made it. */
const nodes = 1024;

/**
 * Makes identifiers of one form. Numbers lie between 1 and 2^53-1 (P-7), so that JSON readers keep
 * all digits: time first, then the process's number among those that share its store. The fifth
 * identifier of a millisecond uses the next millisecond.
 */
export function tokenIdMaker(
  form: TokenIdForm,
  node: () => number = () => 0,
): (now: Instant) => string {
  if (form === 'uuid') return () => randomUUID();
  let tick = 0;
  return (now) => {
    tick = Math.max(tick + 1, (now - epoch) * perMillisecond);
    return String(tick * nodes + node());
  };
}
