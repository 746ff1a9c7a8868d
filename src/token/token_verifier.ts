// Owns the verification of this service's JWTs: signature, kind and claims, not family and client.

import { errors, type JWTPayload, jwtVerify, type ProtectedHeaderParameters } from 'jose';

import { BoundedMap } from '../lib/bounded_map.ts';
import { instant, type Instant } from '../lib/clock.ts';
import { digest, type Digest } from '../lib/digest.ts';
import type { ClientId } from '../oauth/client.ts';
import type { Era, ExchangedFrom, Place } from '../oauth/grant.ts';
import { parsePlace } from '../oauth/place.ts';
import { signingAlgorithms } from '../oauth/signing_key.ts';
import { longestToken } from './jwt.ts';
import type { VerifyingKey } from './signing_keys.ts';

export interface VerifiedToken {
  /** Its `sub`, which is a text of the dialect's where the token has an owner. */
  readonly subject: string;
  readonly owner?: string;
  /** The member's token that a client's own one stands beside. */
  readonly beside?: string;
  readonly client: ClientId;
  readonly tokenId: string;
  /** In whole seconds, like the claim. */
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
  readonly scope?: string;
  /** Its `aud`, where a request asked for that. */
  readonly resource?: string;
  /** Where it has its login, or the era of its issue where it has none. */
  readonly origin: { readonly place: Place } | { readonly era: Era };
  readonly exchangedFrom?: ExchangedFrom;
}

/** The claims of a valid token of this service; undefined for any other token. */
export type TokenVerifier = (token: string, now: Instant) => Promise<VerifiedToken | undefined>;

export interface TokenExpectations {
  /** `typ` of the header; other kinds of JWT are refused (HOSTILE 35). */
  readonly type: string;
  /** Of several, each is one of ours. */
  readonly issuer: string | string[];
  /** `aud` of tokens for which no request asked for another. */
  readonly audience: string;
  readonly keyOf: (kid: string) => VerifyingKey | undefined;
}

interface Verdict {
  readonly kid: string;
  readonly token: VerifiedToken;
}

/** More than a gateway sees in half an hour; about 10 MB when full. */
const rememberedTokens = 20_000;

const canonicalPart = '(?:[\\w-]{4})*(?:[\\w-][AQgw]|[\\w-]{2}[AEIMQUYcgkosw048])?';
/** Base64url with zero padding bits (RFC 4648 3.5): a token has one spelling (HOSTILE 68). */
export const canonicalJwt = new RegExp(`^${canonicalPart}\\.${canonicalPart}\\.${canonicalPart}$`);

/**
 * Checks a signature once and remembers it until the token expires or its key is no longer
 * published. Only valid tokens are remembered: any number of invalid ones cannot evict them.
 *
 * @param remembered the most tokens to remember
 */
export function tokenVerifier(
  expected: TokenExpectations,
  remembered: number = rememberedTokens,
): TokenVerifier {
  const verdicts = new BoundedMap<Digest, Verdict>(remembered);
  return async (token, now) => {
    if (token.length > longestToken) return undefined;
    const key = digest(token);
    const known = verdicts.get(key);
    if (known === undefined) {
      const verdict = await verifyToken(expected, token, now);
      if (verdict !== undefined) verdicts.set(key, verdict);
      return verdict?.token;
    }
    if (now < known.token.expiresAt && expected.keyOf(known.kid) !== undefined) return known.token;
    verdicts.delete(key);
    return undefined;
  };
}

/**
 * RFC 8725: the key is found by the exact `kid` and determines the algorithm. Nothing else of the
 * header (`jwk`, `jku`, `x5u`) is read; jose refuses an unknown `crit`.
 */
async function verifyToken(
  { type, issuer, audience, keyOf }: TokenExpectations,
  token: string,
  now: Instant,
): Promise<Verdict | undefined> {
  const find = ({ kid, alg }: ProtectedHeaderParameters): VerifyingKey['publicKey'] => {
    const key = typeof kid === 'string' ? keyOf(kid) : undefined;
    if (key === undefined || key.algorithm !== alg) throw new errors.JWKSNoMatchingKey();
    return key.publicKey;
  };
  if (!canonicalJwt.test(token)) return undefined;
  try {
    const { payload, protectedHeader } = await jwtVerify(token, find, {
      algorithms: [...signingAlgorithms],
      typ: type,
      issuer,
      requiredClaims: ['exp', 'iat', 'sub', 'jti', 'client_id'],
      currentDate: new Date(now),
    });
    const verified = claimsOf(payload, protectedHeader, audience);
    return verified && { kid: String(protectedHeader.kid), token: verified };
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

function claimsOf(
  payload: JWTPayload,
  { era, from, owner, beside, asked }: Readonly<Record<string, unknown>>,
  audience: string,
): VerifiedToken | undefined {
  const { sub, jti, iat, exp, aud, client_id: client, scope, family } = payload;
  if (typeof aud !== 'string' || (asked !== true && aud !== audience)) return undefined;
  if (typeof sub !== 'string' || typeof jti !== 'string' || typeof client !== 'string') {
    return undefined;
  }
  if (typeof iat !== 'number' || typeof exp !== 'number' || !isOptionalText(scope)) {
    return undefined;
  }
  const origin = originOf(family, era);
  return (
    origin && {
      subject: sub,
      ...(typeof owner === 'string' ? { owner } : {}),
      ...(typeof beside === 'string' ? { beside } : {}),
      client: client as ClientId,
      tokenId: jti,
      issuedAt: instant(iat * 1000),
      expiresAt: instant(exp * 1000),
      ...(scope === undefined ? {} : { scope }),
      ...(asked === true ? { resource: aud } : {}),
      origin,
      // Under our signature: it is as it was written.
      ...(Array.isArray(from) ? { exchangedFrom: from.map(String) } : {}),
    }
  );
}

function originOf(family: unknown, era: unknown): VerifiedToken['origin'] | undefined {
  if (family === undefined) return typeof era === 'number' ? { era: era as Era } : undefined;
  const place = typeof family === 'string' ? parsePlace(family) : undefined;
  return place === undefined ? undefined : { place };
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
