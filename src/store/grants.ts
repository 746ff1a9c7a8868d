// Owns the store's contract for grants: codes, token families, tokens and their revocation.

import type { Instant } from '../lib/clock.ts';
import type { ClientId, ProgrammeId } from '../oauth/client.ts';
import type {
  AccessToken,
  AuthorizationCode,
  Era,
  FamilyId,
  RefreshToken,
  RefreshTokenState,
  TokenFamily,
  TokenKey,
} from '../oauth/grant.ts';

/** What one grant writes, in the transaction of the verb that allows it. */
export interface IssuedTokens {
  /** A new family; absent where the tokens join one that exists. */
  readonly family?: TokenFamily;
  /** Absent where access tokens are JWTs. */
  readonly access?: AccessToken;
  readonly refresh?: RefreshToken;
  /** The era in which the grant began, so that a revocation meanwhile takes it along; the store's if left out. */
  readonly era?: Era;
}

/**
 * `superseded`: an attempt of the same login that began later was faster, and its code is the one
 * the browser waits for; nothing has changed.
 */
export type IssueOutcome = 'issued' | 'already_spent' | 'superseded';

export type SpendOutcome =
  | { readonly outcome: 'spent' }
  /** The same client came back with a spent code: what the first use issued is revoked by now. */
  | { readonly outcome: 'replayed'; readonly family: FamilyId }
  /** Unknown, expired or another client's: nothing has changed. */
  | { readonly outcome: 'unknown' };

export type RotateOutcome =
  | { readonly outcome: 'rotated' }
  /** Somebody was faster, inside the retry window: this is the answer that went with the one successor. */
  | { readonly outcome: 'retried'; readonly keptAnswer: string }
  /** Reused outside the window, or after its successor was used: the family is revoked by now. */
  | { readonly outcome: 'reused' }
  /** Unknown, expired, revoked or another client's: nothing has changed. */
  | { readonly outcome: 'unknown' };

export interface Rotation {
  readonly programme: ProgrammeId;
  readonly client: ClientId;
  /** The refresh token that was presented. */
  readonly key: TokenKey;
  readonly successor: RefreshToken;
  readonly access?: AccessToken;
  /**
   * What lets the presented token have this answer again: the whole of it under a key derived from that
   * token, or what it follows from beside that token. The store alone reveals no token.
   */
  readonly keptAnswer: string;
  /** Last moment at which a retry gets that answer; `now` or earlier forbids retries. */
  readonly retryUntil: Instant;
  readonly now: Instant;
}

/** The owner of tokens: a client (all its tokens), or a member (the tokens of its logins). */
export type TokenOwner = { readonly client: ClientId } | { readonly subject: string };

/** A JWT: the store remembers none. */
export interface UnrememberedToken {
  /** Its `jti`. */
  readonly tokenId: string;
  readonly expiresAt: Instant;
}

/** The claims of a JWT that decide whether it is valid. */
export interface StandingQuestion {
  readonly client: ClientId;
  readonly subject: string;
  readonly family?: FamilyId;
  /** Its `jti` and its end; left out where single tokens are not revoked. */
  readonly tokenId?: string;
  readonly expiresAt?: Instant;
  /** Its `iat`, in whole seconds. */
  readonly issuedAt: Instant;
  /** The era in which it was issued; a token of a family has its family's. */
  readonly era?: Era;
}

/**
 * Codes, families and tokens. Every verb is atomic; nothing is found past its `expiresAt`.
 *
 * A grant finds a code or refresh token, checks it, and then spends or rotates it. `spendCode` and
 * `rotateRefreshToken` judge what is there by then, whatever was found before, and take all that they
 * write from the caller. So a backend across a network may keep the row that it found in memory and do
 * the second call in one round trip: one statement that changes the row only if it is still as it was
 * found, and writes the tokens with it. Where no row is changed, it reads the row again and judges it.
 */
export interface Grants {
  /**
   * Remembers a code. A login that already has an unspent code loses that one: two are never live.
   * A login whose code was spent gets none.
   */
  issueCode(code: AuthorizationCode): Promise<IssueOutcome>;

  /** The code, spent or not, so that a caller can check it before spending; undefined past `forgetAt`. */
  findCode(
    programme: ProgrammeId,
    key: TokenKey,
    now: Instant,
  ): Promise<AuthorizationCode | undefined>;

  /**
   * Spends a code and writes what it pays for, both or neither. Of any number of simultaneous
   * calls exactly one is `spent`.
   */
  spendCode(
    programme: ProgrammeId,
    client: ClientId,
    key: TokenKey,
    issue: IssuedTokens & { readonly family: TokenFamily },
    now: Instant,
  ): Promise<SpendOutcome>;

  /** Writes what a grant without a code pays for (RFC 6749 4.3), in one durable step. */
  startFamily(issue: IssuedTokens & { readonly family: TokenFamily }): Promise<void>;

  /** The refresh token in whatever state, with its family; undefined once expired or never issued. */
  findRefreshToken(
    programme: ProgrammeId,
    key: TokenKey,
    now: Instant,
  ): Promise<RefreshTokenState | undefined>;

  /** Rotates a refresh token to its one successor. Using it also ends its predecessor's retry window. */
  rotateRefreshToken(rotation: Rotation): Promise<RotateOutcome>;

  revokeFamily(programme: ProgrammeId, family: FamilyId, now: Instant): Promise<void>;

  /** Who logged in, as it stood then; whether the family still stands is not said. */
  findFamily(programme: ProgrammeId, id: FamilyId): Promise<TokenFamily | undefined>;

  /**
   * Kills everything issued so far to a client or for a member: codes, families, access tokens. One
   * durable step, whatever their number, that ends the era: what this or another process issues
   * afterwards stands, whatever any clock says.
   */
  revokeAll(programme: ProgrammeId, whose: TokenOwner): Promise<void>;

  /** The era of what is issued now, for tokens that the store does not remember. */
  era(): Promise<Era>;

  /** Kills one access token; one that is dead or unknown stays what it is. */
  revokeToken(
    programme: ProgrammeId,
    token: { readonly key: TokenKey } | UnrememberedToken,
    now: Instant,
  ): Promise<void>;

  /**
   * Whether a token that the store does not remember (a JWT) still stands: neither it nor its family
   * was revoked, nor all of its owner's tokens since; one without a family stands by its era.
   */
  isStanding(programme: ProgrammeId, token: StandingQuestion): Promise<boolean>;

  saveAccessToken(token: AccessToken, era?: Era): Promise<void>;

  /** The access token, unless it is expired or its family revoked. */
  findAccessToken(
    programme: ProgrammeId,
    key: TokenKey,
    now: Instant,
  ): Promise<AccessToken | undefined>;
}
