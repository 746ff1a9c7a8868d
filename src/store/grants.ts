// Owns the store's contract for grants: codes, logins, the revocation of tokens, and texts kept for them.

import type { Instant } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import type { Soon } from '../lib/pause.ts';
import type { ClientId, ProgrammeId } from '../oauth/client.ts';
import type {
  Answer,
  AuthorizationCode,
  CodeKey,
  Era,
  Login,
  LoginState,
  Place,
  SpentCode,
} from '../oauth/grant.ts';
import type { HeldText, KeptText, KeptUse } from './kept_texts.ts';
import type { LiveToken } from './live_tokens.ts';

/** A login and its first token response, written in the transaction of the verb that allows it. */
export interface NewLogin extends Login, Answer {
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
  /** The same client came back with a spent code: its login is revoked by now. */
  | { readonly outcome: 'replayed'; readonly place: Place }
  /** Unknown, expired or another client's: nothing has changed. */
  | { readonly outcome: 'unknown' };

/** A spent code, and the login that its first use paid for. */
export interface SpentFor {
  readonly code: SpentCode;
  readonly spentFor: Place;
}

export type FoundCode =
  | {
      readonly code: AuthorizationCode;
      readonly spentFor?: undefined;
      /** Where its login is written at the least cost; another place will do. */
      readonly place?: Place;
    }
  | SpentFor;

/** The owner of tokens: a client (all its tokens), or a member (the tokens of its logins). */
export type TokenOwner = { readonly client: ClientId } | { readonly subject: string };

/** A login's place is another login's already: nothing has changed, and another place will do. */
export class PlaceTaken extends Error {
  constructor() {
    super('store: the place of a login is taken');
  }
}

/** An access token, of which the store keeps nothing until it is revoked. */
export interface TokenName {
  /** Its `jti`, or the tag of a sealed token. */
  readonly tokenId: string;
  readonly expiresAt: Instant;
  /** The end of the token's login, if it has one. */
  readonly loginEndsAt?: Instant;
}

/** What is revoked; the time only where a clock decides. */
export type Revoked =
  | readonly [owner: TokenOwner, now?: undefined]
  | readonly [one: { readonly place: Place } | TokenName, now: Instant];

/** What decides whether an access token is valid, apart from its login. */
export interface StandingQuestion extends TokenName {
  /** Of a token without a login: its client, and the era in which it was issued. */
  readonly own?: {
    readonly client: ClientId;
    readonly era: Era;
    /** Not later than its issue; a JWT says whole seconds. */
    readonly issuedAt: Instant;
  };
}

/**
 * Codes, logins and revocations. Every verb is atomic. Access tokens and refresh tokens are not kept:
 * they prove themselves (docs/decisions/031), and name the login that they are held against.
 *
 * A grant finds a code or login, checks it, and then spends or advances it. `spendCode` judges what is
 * there by then, whatever was found before; `advanceLogin` changes a login only if it is still as it was
 * found. So a backend across a network does the second call in one round trip.
 */
export interface Grants {
  /**
   * Remembers a code. A login that already has an unspent code loses that one: two are never live.
   * A login whose code was spent gets none.
   */
  issueCode(code: AuthorizationCode): Promise<IssueOutcome>;

  /**
   * The code, spent or not, so that a caller can check it before spending. A spent code is found as
   * long as its login, an unspent code until `forgetAt`.
   */
  findCode(programme: ProgrammeId, key: CodeKey, now: Instant): Promise<FoundCode | undefined>;

  /**
   * Spends a code and writes the login that it pays for, both or neither. Of any number of
   * simultaneous calls exactly one is `spent`.
   * @throws PlaceTaken
   */
  spendCode(
    programme: ProgrammeId,
    client: ClientId,
    key: CodeKey,
    login: NewLogin,
    now: Instant,
  ): Promise<SpendOutcome>;

  /**
   * Writes the login of a grant without a code (RFC 6749 4.3).
   * @throws PlaceTaken
   */
  startLogin(login: NewLogin): Promise<void>;

  /** The login, revoked or past its end too, until it is swept. */
  findLogin(programme: ProgrammeId, place: Place): Soon<LoginState | undefined>;

  /**
   * Replaces the last answer of a login by the next one, or by itself with later times, if `from` still
   * is the last one and the login itself is not revoked; otherwise false, and nothing has changed. Of any number of simultaneous calls
   * with the same `from` exactly one is true.
   */
  advanceLogin(programme: ProgrammeId, place: Place, from: Answer, to: Answer): Promise<boolean>;

  /**
   * Kills one of these, in one durable step.
   * - A login with all of its tokens. One that is revoked or unknown stays what it is.
   * - One access token. One that has expired at `now` stays dead. The token of a login is remembered until
   *   that login ends, so that a clock that was ahead forgets neither before the other (FAULTS 29).
   * - Everything issued so far to a client or for a member: codes, logins, access tokens, whatever their
   *   number. The era ends: what this or another process issues afterwards stands, whatever any clock says.
   */
  revoke(programme: ProgrammeId, ...what: Revoked): Promise<void>;

  /** The era of what is issued now, for tokens without a login. */
  era(): Soon<Era>;

  /**
   * Whether a token that proved itself still stands: it was not revoked by itself and, where it has no
   * login, its client's tokens were not revoked since its issue. Its login is the caller's to judge.
   */
  isStanding(programme: ProgrammeId, token: StandingQuestion): Soon<boolean>;

  /**
   * Keeps a text under its key. A used assertion is kept only if none is held there, and none was that a
   * lost or forgotten row may have shown (see `Floor`): of any number of simultaneous calls exactly one is
   * true. A live token takes the place of the one before it and revokes that one, both or neither; the
   * answer is whether it is the live one (see `takeOver`). Any other text replaces the one that is held,
   * and the answer is always true.
   */
  keepText(text: KeptText | LiveToken, now: Instant): Promise<boolean>;

  /** The text that is held under a key; undefined from its end on. */
  findKept(
    programme: ProgrammeId,
    use: KeptUse,
    key: Digest,
    now: Instant,
  ): Promise<HeldText | undefined>;
}

/** The verbs over texts that a store keeps. */
export type TextVerbs = Pick<Grants, 'keepText' | 'findKept'>;
