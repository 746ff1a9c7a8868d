// Owns the vocabulary of grants: codes, token families and tokens as the store keeps them.

import type { Instant, Milliseconds } from '../lib/clock.ts';
import { type Digest, digest } from '../lib/digest.ts';
import type { ClientId, ProgrammeId } from './client.ts';
import type { Member } from './member.ts';

/** The `grant_type` of RFC 7523 2.1. */
export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** The `grant_type` of RFC 8693 2.1. */
export const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';

interface Grant {
  /** Inputs that belong to the grant: those it needs, and those it also takes. */
  readonly needs: readonly string[];
  readonly takes?: readonly string[];
  /** Its name in metadata (RFC 8414), where that is not the grant's own. */
  readonly registered?: string;
  /** Its answers bring a refresh token unless the file says otherwise (RFC 6749 4.4.3). */
  readonly isRefreshed?: true;
  /** A member begins it, so that a public client may: what a client is given for itself needs a proof. */
  readonly isPublic?: true;
  /** The input, a token that was given to a client, that tells which client that was. */
  readonly token?: string;
  /** What its values can be that it refuses, in a list of faulty requests. */
  readonly wrong?: string;
  /** For partners: what they do with it, and its access token in a list of tokens. */
  readonly heading: string;
  readonly text: string;
  readonly named: string;
}

/** What is known of each grant. */
const rows = {
  authorization_code: {
    needs: ['code'],
    takes: ['redirect_uri', 'code_verifier'],
    isRefreshed: true,
    isPublic: true,
    wrong: 'a code that was never issued',
    heading: 'Exchange the code for tokens',
    text: 'Your server sends the code to us, and gets tokens of the member. The examples read the code from `CODE`.',
    named: 'Access token from a code',
  },
  refresh_token: {
    needs: ['refresh_token'],
    isPublic: true,
    token: 'refresh_token',
    wrong: 'a refresh token that was never issued',
    heading: 'Refresh tokens',
    text: 'When the access token has ended, or shortly before, exchange the refresh token for new tokens. The examples read it from `REFRESH_TOKEN`.',
    named: 'Access token from a refresh',
  },
  client_credentials: {
    needs: [],
    heading: 'Get a token of your own',
    text: 'For calls that are about no member. Use it until it ends, then get another.',
    named: 'Access token of your own',
  },
  password: {
    needs: ['username', 'password'],
    isRefreshed: true,
    isPublic: true,
    wrong: 'a wrong password',
    heading: 'Get tokens with a username and password',
    text: 'Your server sends what the member has typed, and gets tokens of the member. Do not keep the password. The examples read it from `MEMBER_USERNAME` and `MEMBER_PASSWORD`.',
    named: 'Access token from a username and password',
  },
  token_exchange: {
    needs: ['subject_token'],
    takes: ['subject_token_type', 'requested_token_type', 'actor_token'],
    registered: tokenExchange,
    token: 'subject_token',
    wrong: 'an access token that was never issued',
    heading: 'Exchange an access token',
    text: 'For an access token of yours you get another one. It ends with the login, as the first one does, and with the first one if you revoke that. The examples read the first one from `ACCESS_TOKEN`.',
    named: 'Access token from an exchange',
  },
  jwt_bearer: {
    needs: ['assertion'],
    registered: jwtBearer,
    wrong: 'an assertion that nobody has signed',
    heading: 'Get a token with an assertion',
    text: 'Your server signs an assertion and exchanges it for a token; there is no refresh token: sign another. The examples read it from `ASSERTION`.',
    named: 'Access token with an assertion',
  },
} as const satisfies Readonly<Record<string, Grant>>;

export type GrantType = keyof typeof rows;

export const grantRows: Readonly<Record<GrantType, Grant>> = rows;

export const grantTypes = Object.keys(rows) as readonly GrantType[];

/** A value for each grant. */
export function byGrant<Value>(valueOf: (type: GrantType) => Value): Record<GrantType, Value> {
  const values = grantTypes.map((type) => [type, valueOf(type)]);
  return Object.fromEntries(values) as Record<GrantType, Value>;
}

/** The inputs by which a client is known that has got a token before. */
export const tokensOfGrants: readonly string[] = Object.values(grantRows).flatMap(
  ({ token }) => token ?? [],
);

/** Whether a client's own token proves it for the grant: for none that gives it another of that kind. */
export function isByOwnToken(type: GrantType): boolean {
  return grantRows[type].isPublic === true || type === 'token_exchange';
}

/** Every input that belongs to some grant. */
export const inputsOfGrants: ReadonlySet<string> = new Set(
  Object.values(grantRows).flatMap(({ needs, takes = [] }) => [...needs, ...takes]),
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
  /** The token request must hold the redirect URI. */
  readonly repeatsRedirectUri?: true;
  /** The login request's scope, if any. */
  readonly scope?: string;
  /** The login request's resource (RFC 8707), if any. */
  readonly resource?: string;
  /** The login request's S256 challenge (RFC 7636), if any. */
  readonly codeChallenge?: string;
  /** The login request's nonce (OpenID Connect Core 3.1.2.1), if any. */
  readonly nonce?: string;
  /** The era in which its login began: a later revocation ends it. The store's era if left out. */
  readonly era?: Era;
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
  /** The row outlives the code, so that a second use of an unspent code is noticed; and its login gets no other. */
  readonly forgetAt: Instant;
}

/**
 * What a store keeps of a spent code: enough to recognise its client and its login request in a replay.
 * `redirectUri` and `codeChallenge` are cut to their first 6 characters (36 bits).
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
  /** `aud` of its access tokens, if a request asked for one (RFC 8707); no later one changes it. */
  readonly resource?: string;
  /** Its refresh token stays, where the programme tells by the login whether it does. */
  readonly keepsRefresh?: true;
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

/** A login with an answer, as an object of its own: each field stands in one place for all logins. */
export function answered(login: Login, answer: Answer): Login & Answer {
  const made: { -readonly [Name in keyof (Login & Answer)]: (Login & Answer)[Name] } = {
    programme: login.programme,
    place: login.place,
    client: login.client,
    endsAt: login.endsAt,
    loginDigest: login.loginDigest,
    generation: answer.generation,
    refreshDigest: answer.refreshDigest,
    nonce: answer.nonce,
    keyNumber: answer.keyNumber,
    answeredAt: answer.answeredAt,
    accessSpan: answer.accessSpan,
    refreshSpan: answer.refreshSpan,
    retrySpan: answer.retrySpan,
    tokenNumber: answer.tokenNumber,
    forgetAt: answer.forgetAt,
  };
  if (login.member !== undefined) made.member = login.member;
  if (login.scope !== undefined) made.scope = login.scope;
  if (login.resource !== undefined) made.resource = login.resource;
  if (login.keepsRefresh === true) made.keepsRefresh = true;
  if (answer.ownScope !== undefined) made.ownScope = answer.ownScope;
  return made;
}

/** Generations that the four bytes in a refresh token hold. */
export const lastGeneration = 2 ** 32 - 1;

/** A login as the store has it. */
export interface LoginState extends Login, Answer {
  /** The login itself, or all tokens of its client or member, were revoked. */
  readonly revoked: boolean;
}
