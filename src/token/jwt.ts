// Owns signed tokens (JWTs, RFC 7519): their claims, and signing them by the key of an instant.

import { sign, type SignKeyObjectInput } from 'node:crypto';
import { promisify } from 'node:util';

import { epochSeconds, type Instant } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import type { Era, ExchangedFrom } from '../oauth/grant.ts';
import type { SigningKey } from './signing_keys.ts';

/** `typ` of access tokens (RFC 9068 2.1); verifiers accept no other kind of JWT (HOSTILE 35). */
export const accessTokenType = 'at+jwt';

/** `typ` of refresh tokens; verifiers that ask for a `typ` accept none of them. */
export const refreshTokenType = 'rt+jwt';

/** URNs of Jetway's own: no access token has such an audience (HOSTILE 58). */
export const ownUrn = 'urn:jetway:';

/**
 * `aud` of refresh tokens, which have the keys and `iss` of access tokens. Many verifiers do not ask for a
 * `typ`: they refuse a refresh token by this alone (C-9, HOSTILE 35, RFC 8725 3.12).
 */
export const refreshAudience = `${ownUrn}refresh-token`;

/** C-9. */
export interface TokenClaims {
  readonly issuer: string;
  readonly audience: string;
  /** In the header: a request has asked for that audience. */
  readonly isAsked?: true | undefined;
  readonly subject: string;
  /** In the header: of whom the token's login is, where `sub` is another text than the member's subject. */
  readonly owner?: Digest | undefined;
  readonly clientId: string;
  readonly tokenId: string;
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
  readonly scope?: string | undefined;
  /** The place of the token's login, in decimal digits: the tokens of a revoked login are refused. */
  readonly family?: string | undefined;
  /**
   * The era in which a token without a login was issued. It is in the header: only this service
   * needs it, and the claims belong to the dialect.
   */
  readonly era?: Era | undefined;
  /** In the header, too. */
  readonly exchangedFrom?: ExchangedFrom | undefined;
  /**
   * In the header: the token is its client's own, and stands beside the member's token of this name. `owner`
   * holds it to the member of the login (`ownerText`).
   */
  readonly beside?: string | undefined;
  /** The dialect's own claims; the claims above override them. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/**
 * Of what `owner` is the digest. A client's own token tells nobody which other ones came with logins of the same
 * member: its `owner` is of that token alone.
 */
export function ownerText(subject: string, beside: string | undefined): string {
  return beside === undefined ? subject : `${subject} ${beside}`;
}

/** `typ` of identity tokens; their `aud` is the client, for verifiers that ask for no `typ` (HOSTILE 35). */
export const identityTokenType = 'JWT';

/** Signs claims by the key that signs at an instant. */
export type JwtSigner = (at: Instant, claims: TokenClaims) => string | Promise<string>;

/** What this service alone needs of a token: the claims belong to the dialect. */
type HeaderFacts = Pick<TokenClaims, 'era' | 'exchangedFrom' | 'owner' | 'beside' | 'isAsked'>;

/** Signs a payload as it is. */
export type PayloadSigner = (
  at: Instant,
  payload: object,
  facts?: HeaderFacts,
) => string | Promise<string>;

const signInPool = promisify(sign);

/** Longer tokens are neither issued nor read. */
export const longestToken = 16_384;

/** A signer of tokens of one `typ` (RFC 9068). Throws for claims that make a token too long to be read. */
export function jwtSigner(keyAt: (at: Instant) => SigningKey, type: string): JwtSigner {
  const signPayload = payloadSigner(keyAt, type);
  const bounded = (token: string): string => {
    if (token.length <= longestToken) return token;
    const size = `${token.length} characters, of which ${longestToken} are read`;
    throw new Error(`no token is issued: this ${type} has ${size}; shorten or drop claims`);
  };
  return (at, claims) => {
    const signed = signPayload(at, payloadOf(claims), claims);
    return typeof signed === 'string' ? bounded(signed) : signed.then(bounded);
  };
}

export function payloadSigner(keyAt: (at: Instant) => SigningKey, type: string): PayloadSigner {
  let head: Head | undefined;
  return (at, payload, { era, exchangedFrom: from, owner, beside, isAsked: asked } = {}) => {
    const key = keyAt(at);
    if (
      head?.key !== key ||
      head.era !== era ||
      head.from !== from ||
      head.owner !== owner ||
      head.beside !== beside ||
      head.asked !== asked
    ) {
      head = headOf(key, type, { era, exchangedFrom: from, owner, beside, isAsked: asked });
    }
    const text = `${head.text}.${encode(payload)}`;
    const bytes = Buffer.from(text, 'latin1');
    const { algorithm, input } = head;
    if (algorithm === null || input.dsaEncoding !== undefined) {
      // On this thread: a signature takes 20 µs, and handing it to another thread 30 µs more.
      return `${text}.${sign(algorithm, bytes, input).toString('base64url')}`;
    }
    // RSA takes a millisecond, for which other requests would wait.
    return signInPool(algorithm, bytes, input).then(
      (signature) => `${text}.${signature.toString('base64url')}`,
    );
  };
}

/** What all tokens of a key and era share. */
interface Head {
  readonly key: SigningKey;
  readonly era: Era | undefined;
  readonly from: ExchangedFrom | undefined;
  readonly owner: Digest | undefined;
  readonly asked: true | undefined;
  readonly beside: string | undefined;
  /** The encoded header. */
  readonly text: string;
  readonly algorithm: 'sha256' | null;
  readonly input: SignKeyObjectInput;
}

function headOf(
  key: SigningKey,
  typ: string,
  { era, exchangedFrom: from, owner, beside, isAsked: asked }: HeaderFacts,
): Head {
  const { kid, algorithm: alg, privateKey } = key;
  return {
    key,
    era,
    from,
    owner,
    beside,
    asked,
    // Undefined members are left out of the JSON.
    text: encode({ alg, typ, kid, era, from, owner, beside, asked }),
    algorithm: alg === 'EdDSA' ? null : 'sha256',
    input: alg === 'ES256' ? { key: privateKey, dsaEncoding: 'ieee-p1363' } : { key: privateKey },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The claims by their names in the token. */
export function payloadOf(claims: TokenClaims): Record<string, unknown> {
  // Undefined members are left out of the JSON.
  return {
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
}
