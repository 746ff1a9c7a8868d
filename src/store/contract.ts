// Owns the Store contract: what every backend promises. Verbs are atomic; there is no get-then-set.

import type { Instant } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import type { Client, ClientId, ProgrammeId, ThrottleLimit } from '../oauth/client.ts';
import type { Gateway, GatewayId } from '../oauth/gateway.ts';
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
import type { MemberRecord, Subject } from '../oauth/member.ts';
import type { SigningKeyRecord } from '../oauth/signing_key.ts';
import type {
  AttemptOutcome,
  AttemptPolicy,
  AttemptsShown,
  LoginAttempt,
} from './login_attempts.ts';
import type { StoreTime } from './time_contract.ts';

export type Environment = 'staging' | 'live';
type ClientChange = (client: Client) => Client;

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
  | { readonly outcome: 'retried'; readonly sealedAnswer: string }
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
  readonly sealedAnswer: string;
  /** Last moment at which a retry gets that answer; `now` or earlier forbids retries. */
  readonly retryUntil: Instant;
  readonly now: Instant;
}

/** Whose tokens: a client's (all of them), or a member's (those of its logins). */
export type TokenOwner = { readonly client: ClientId } | { readonly subject: string };

/** A JWT: the store remembers none. */
export interface UnrememberedToken {
  /** Its `jti`. */
  readonly tokenId: string;
  readonly expiresAt: Instant;
}

/** What a JWT says of itself that decides whether it stands. */
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

export interface ThrottleOutcome {
  readonly allowed: boolean;
  /** Milliseconds until the window ends. */
  readonly retryAfter: number;
}

/**
 * Where clients, members, codes, tokens and keys are kept. Every verb is atomic and, in a durable
 * backend, resolves only once what it reports is durable. A backend that cannot answer rejects
 * with `Unavailable` (oauth/failure.ts), never with a made-up outcome. Nothing is found past its
 * `expiresAt`; the caller's clock judges, through `now`.
 */
export interface Store extends StoreTime {
  /** Adds a client unless its identifier was ever given out in this programme (C-5). */
  addClient(client: Client): Promise<'added' | 'taken'>;
  /**
   * Adds all of the clients or, if any identifier was ever given out, none. Returns those that were;
   * empty when all are added.
   */
  addClients(clients: readonly Client[]): Promise<readonly ClientId[]>;
  findClient(programme: ProgrammeId, id: ClientId): Promise<Client | undefined>;
  /**
   * The clients that hold the API key, by identifier: several where a partner has one key for all of
   * its own (C-5). Whether it is live is the caller's to judge.
   */
  findClientsByApiKey(programme: ProgrammeId, apiKey: Digest): Promise<readonly Client[]>;
  /** In order of creation. */
  listClients(programme: ProgrammeId): Promise<readonly Client[]>;
  /** Applies a pure change to the client as it stands; undefined when there is none. It may run twice. */
  changeClient(
    programme: ProgrammeId,
    id: ClientId,
    change: ClientChange,
  ): Promise<Client | undefined>;
  /** As `changeClient`, in one step for every client of any programme that holds one of the API keys. */
  changeKeyHolders(keys: readonly Digest[], change: ClientChange): Promise<readonly Client[]>;

  /**
   * Removes a client for good, with all that was issued to it; its identifier is never given out
   * again (C-5). False when there is none.
   */
  removeClient(programme: ProgrammeId, id: ClientId, now: Instant): Promise<boolean>;
  /**
   * Remembers that a secret or API key was used, at most once an hour for each: costs no commit of
   * its own and may be lost in a crash. An operator reads it to know when an old one may go.
   */
  recordSecretUse(programme: ProgrammeId, id: ClientId, secret: Digest, now: Instant): void;
  /** Last recorded use of each secret and API key of a client, by digest. */
  secretUses(programme: ProgrammeId, id: ClientId): Promise<ReadonlyMap<Digest, Instant>>;

  /** Adds a member unless username or subject is taken. */
  addMember(member: MemberRecord): Promise<'added' | 'taken'>;
  findMember(programme: ProgrammeId, username: string): Promise<MemberRecord | undefined>;
  findMemberBySubject(programme: ProgrammeId, subject: Subject): Promise<MemberRecord | undefined>;
  /** In order of creation. */
  listMembers(programme: ProgrammeId): Promise<readonly MemberRecord[]>;
  /**
   * Applies a pure change to the member as it stands; undefined when there is none. Rejects,
   * changing nothing, when the change takes another member's username.
   */
  changeMember(
    programme: ProgrammeId,
    subject: Subject,
    change: (member: MemberRecord) => MemberRecord,
  ): Promise<MemberRecord | undefined>;
  /** Removes a member, with all tokens of its logins. False when there is none. */
  removeMember(programme: ProgrammeId, subject: Subject): Promise<boolean>;

  /** Adds a gateway unless the programme has one of that identifier. */
  addGateway(gateway: Gateway): Promise<'added' | 'taken'>;
  findGateway(programme: ProgrammeId, id: GatewayId): Promise<Gateway | undefined>;
  /** In order of creation. */
  listGateways(programme: ProgrammeId): Promise<readonly Gateway[]>;
  /** Applies a pure change to the gateway as it stands; undefined when there is none. */
  changeGateway(
    programme: ProgrammeId,
    id: GatewayId,
    change: (gateway: Gateway) => Gateway,
  ): Promise<Gateway | undefined>;
  /** Removes a gateway: its secrets are good for nothing at once. False when there is none. */
  removeGateway(programme: ProgrammeId, id: GatewayId): Promise<boolean>;

  /**
   * Reserves one attempt to log in to an account before the directory is asked, so that of any
   * number at once, in whatever processes, no more than the limit are judged (HOSTILE 18); the one
   * that exceeds it within the window locks the account, those during the lock change nothing, and
   * after it all begins anew. `account` is a keyed digest of the normalised username. What cannot be
   * counted is not allowed.
   */
  beginLoginAttempt(
    programme: ProgrammeId,
    account: Digest,
    policy: AttemptPolicy,
    now: Instant,
  ): Promise<LoginAttempt>;
  /** Settles an attempt that was allowed: a match clears the count, an undecided one is given back. */
  endLoginAttempt(
    programme: ProgrammeId,
    account: Digest,
    outcome: AttemptOutcome,
    now: Instant,
  ): Promise<void>;
  /** What counts against an account now, for operators to read; no failures where nothing does. */
  loginAttempts(programme: ProgrammeId, account: Digest, now: Instant): Promise<AttemptsShown>;
  /** Ends an account's lock and clears its count, in every process; false when there is neither. */
  unlockAccount(programme: ProgrammeId, account: Digest): Promise<boolean>;

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

  /** Oldest first. */
  listSigningKeys(programme: ProgrammeId): Promise<readonly SigningKeyRecord[]>;
  /**
   * Applies a pure change to all keys of a programme as they stand, in one step: those it adds are
   * added, those it leaves out removed. Resolves to the keys as they are then, oldest first. The
   * change may run twice.
   */
  changeSigningKeys(
    programme: ProgrammeId,
    change: (keys: readonly SigningKeyRecord[]) => readonly SigningKeyRecord[],
  ): Promise<readonly SigningKeyRecord[]>;
  /** Changes whenever a signing key of any programme is added, changed or removed; cheap to ask. */
  signingKeyEpoch(): Promise<number>;

  /**
   * Keeps the first candidate it is ever given, by which another master key is noticed; resolves to
   * the one that is kept. Where none is kept yet, and the oldest signing key is not one that `opens`
   * says yes to, the candidate is not kept either and the result is undefined.
   */
  ensureKeyCheck(
    candidate: string,
    opens: (key: SigningKeyRecord) => boolean,
  ): Promise<string | undefined>;

  /**
   * The node number of `holder`, 0 to 1023: no two holders have one at the same time, as long as
   * each asks again within a minute. Asked every second, it costs next to no commits.
   */
  leaseNode(now: Instant, holder: string): Promise<number>;

  /** Counts one token request against a client's window; costs no durable write. */
  countTokenRequest(
    programme: ProgrammeId,
    client: ClientId,
    throttle: ThrottleLimit,
    now: Instant,
  ): Promise<ThrottleOutcome>;

  /**
   * Forgets what is past its end, at most `limit` rows; returns how many went. A call looks at a
   * bounded number of rows, on from where the last one stopped: 0 does not mean that none is left.
   */
  sweep(now: Instant, limit: number): Promise<number>;
  close(): Promise<void>;
}
