// Owns the vocabulary of grants: codes, token families and tokens as the store keeps them.

import type { Instant, Milliseconds } from '../lib/clock.ts';
import { type Digest, digest } from '../lib/digest.ts';
import type { ClientId, ProgrammeId } from './client.ts';
import type { Member } from './member.ts';

export const grantTypes = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'password',
  'token_exchange',
  'jwt_bearer',
] as const;
export type GrantType = (typeof grantTypes)[number];

/** A value for each grant. */
export function byGrant<Value>(valueOf: (type: GrantType) => Value): Record<GrantType, Value> {
  const values = grantTypes.map((type) => [type, valueOf(type)]);
  return Object.fromEntries(values) as Record<GrantType, Value>;
}

/** Grants whose answers bring a refresh token unless the file says otherwise (RFC 6749 4.4.3). */
export const refreshedGrants: readonly GrantType[] = ['authorization_code', 'password'];
/** The `grant_type` of RFC 7523 2.1. */
export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** The `grant_type` of RFC 8693 2.1. */
export const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** The name of a grant in metadata (RFC 8414), where it is not the grant's own. */
export const registeredGrantTypes: Readonly<Partial<Record<GrantType, string>>> = {
  token_exchange: tokenExchange,
  jwt_bearer: jwtBearer,
};

/** Inputs of a token request that belong to one grant: those it needs, and those it also takes. */
export const grantInputs: Readonly<
  Record<GrantType, { readonly needs: readonly string[]; readonly takes: readonly string[] }>
> = {
  authorization_code: { needs: ['code'], takes: ['redirect_uri', 'code_verifier'] },
  refresh_token: { needs: ['refresh_token'], takes: [] },
  client_credentials: { needs: [], takes: [] },
  password: { needs: ['username', 'password'], takes: [] },
  token_exchange: {
    needs: ['subject_token'],
    takes: ['subject_token_type', 'requested_token_type', 'actor_token'],
  },
  jwt_bearer: { needs: ['assertion'], takes: [] },
};

/** Grants of public clients, which a member begins: what a client is given for itself needs a proof. */
export const publicGrants: ReadonlySet<GrantType> = new Set([
  'authorization_code',
  'refresh_token',
  'password',
]);

/** Grants whose input, a token that was given to a client, tells which client that was. */
export const tokenGrants: Readonly<Partial<Record<GrantType, string>>> = {
  refresh_token: 'refresh_token',
  token_exchange: 'subject_token',
};

/** Every input that belongs to some grant. */
export const inputsOfGrants: ReadonlySet<string> = new Set(
  Object.values(grantInputs).flatMap(({ needs, takes }) => [...needs, ...takes]),
);

/** The store's key of an authorization code: the digest of its text. */
export type CodeKey = Digest & { readonly __kind: 'code' };

export function codeKey(code: string): CodeKey {
  return digest(code) as CodeKey;
}

/**
 * Number of the span between two revocations of a store; each revocation begins the next era. Eras
 * order issues and revocations independently of any clock (docs/decisions/024).
 */
export type Era = number & { readonly __brand: 'Era' };

/**
 * Number of a login in its store: the milliseconds since 2020 times 4096 plus 12 bits, 53 bits in all
 * (docs/decisions/031). A place names one login as long as any token of that login is valid.
 */
export type Place = number & { readonly __brand: 'Place' };

/**
 * Names of the access tokens that a token came from by exchange, first the one that began it: at most four.
 * What is exchanged from a token with four has the same four (docs/decisions/031).
 */
export type ExchangedFrom = readonly string[];

/** An authorization code as the store keeps it; only the browser has the code itself. */
export interface AuthorizationCode {
  readonly programme: ProgrammeId;
  readonly key: CodeKey;
  /** Its login, which has at most one live code. */
  readonly transaction: string;
  readonly client: ClientId;
  /** Digest of the login request's redirect URI. */
  readonly redirectUri: Digest;
  readonly member: Member;
  /** The login request's scope, if any. */
  readonly scope?: string;
  /** The login request's S256 challenge (RFC 7636), if any. */
  readonly codeChallenge?: string;
  /** The login request's nonce (OpenID Connect Core 3.1.2.1), if any. */
  readonly nonce?: string;
  /** The era in which its login began: a later revocation ends it. The store's era if left out. */
  readonly era?: Era;
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
  /** The row outlives the code, so that a second use of an unspent code is noticed. */
  readonly forgetAt: Instant;
}

/**
 * What a store keeps of a spent code: enough to recognise its client and its login request in a replay.
 * From the code's `forgetAt` on `redirectUri` and `codeChallenge` are cut to their first 6 characters
 * (36 bits).
 */
export type SpentCode = Pick<AuthorizationCode, 'client' | 'redirectUri' | 'codeChallenge'>;

/** The constant facts of a login, from which all of its tokens descend (RFC 9700 4.14). */
export interface Login {
  readonly programme: ProgrammeId;
  readonly place: Place;
  readonly client: ClientId;
  /** Absent where the client got its own tokens, with a refresh token. */
  readonly member?: Member;
  /** What the login granted; a refresh may ask for less, never for more. */
  readonly scope?: string;
  /** No token of the login outlives this. */
  readonly endsAt: Instant;
  /**
   * Digest of the secret that all refresh tokens of the login hold: 12 bytes, one character a byte
   * (latin1). It recognises a former refresh token, and separates logins of one place.
   */
  readonly loginDigest: string;
}

/**
 * The last token response of a login. Together with the refresh token that was presented it gives the
 * same response again. Spans are uncut by the login's end: whoever uses them cuts them.
 */
export interface Answer {
  /** 1 for the first response; each rotation adds 1. At most 2^32 - 1. */
  readonly generation: number;
  /**
   * Digest of the refresh token of this generation: 16 bytes, one character a byte (latin1). Empty
   * where the response has no refresh token.
   */
  readonly refreshDigest: string;
  /** 12 random bytes, one character a byte (latin1): no two responses have the same. */
  readonly nonce: string;
  /** Number of the token key under which the tokens were made: 0 to 255. */
  readonly keyNumber: number;
  readonly answeredAt: Instant;
  readonly accessSpan: Milliseconds;
  /** 0 where the response has no refresh token. */
  readonly refreshSpan: Milliseconds;
  /** Time after `answeredAt` in which the former refresh token gets this response again; 0 forbids it. */
  readonly retrySpan: Milliseconds;
  /** The access token's number, where identifiers are numbers: at most 53 bits. Also `hasRefreshAudience`. */
  readonly tokenNumber: number;
  /** The scope of this response where it is not the login's; empty for no scope. */
  readonly ownScope?: string;
  /** All tokens that the login was ever given have expired by then; never falls. */
  readonly forgetAt: Instant;
}

/** The scope of an answer: its own, or the login's where it has none; an empty one is no scope. */
export function scopeOf(ofLogin: string | undefined, own: string | undefined): string | undefined {
  return own === undefined ? ofLogin : own || undefined;
}

/** Generations that the four bytes in a refresh token hold. */
export const lastGeneration = 2 ** 32 - 1;

/** A login as the store has it. */
export interface LoginState extends Login, Answer {
  /** The login itself, or all tokens of its client or member, were revoked. */
  readonly revoked: boolean;
}
