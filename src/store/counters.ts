// Owns the store's contract for counters: login attempts at accounts, and events counted in windows.

import type { Instant, Milliseconds } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import type { ProgrammeId, ThrottleLimit } from '../oauth/client.ts';

/** How many attempts an account has in a window, and how long one attempt more locks it. */
export interface AttemptPolicy {
  readonly attempts: number;
  readonly window: Milliseconds;
  readonly lock: Milliseconds;
}

/** The directory's answer; `undecided` when it could not answer. */
export type AttemptOutcome = 'match' | 'no_match' | 'undecided';

/** Whether the directory may be asked; if not, for how long not. */
export type LoginAttempt =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfter: Milliseconds };

/** What counts against an account. */
export interface AttemptsShown {
  /** Attempts that did not match, and attempts that are not decided yet. */
  readonly failures: number;
  /** Present while the account is locked. */
  readonly lockedUntil?: Instant;
}

/**
 * What is counted in windows: token requests by client (G-18), failed logins by address or account,
 * wrong client secrets by address and client identifier (HOSTILE 42), wrong API keys by address.
 */
export type WindowCounter = 'token_request' | 'failed_login' | 'failed_secret' | 'failed_key';

export interface WindowOutcome {
  readonly allowed: boolean;
  /** Events that the window still allows. */
  readonly remaining: number;
  /** Time until the window ends. */
  readonly retryAfter: Milliseconds;
}

export interface Counters {
  /**
   * Reserves one attempt to log in to an account before the directory is asked: of any number of
   * attempts at once, in any processes, the directory judges no more than the limit (HOSTILE 18).
   * The attempt that exceeds the limit within the window locks the account. Attempts during the lock
   * change nothing; after it the count begins anew. `account` is a keyed digest of the normalised
   * username. An attempt that cannot be counted is not allowed: the verb rejects.
   */
  reserveAttempt(
    programme: ProgrammeId,
    account: Digest,
    policy: AttemptPolicy,
    now: Instant,
  ): Promise<LoginAttempt>;

  /**
   * Settles a reserved attempt: an undecided attempt is given back, a match ends the account's lock and
   * clears its count in every process; so does an operator who unlocks it. Returns whether anything counted
   * until then.
   */
  settleAttempt(
    programme: ProgrammeId,
    account: Digest,
    outcome: AttemptOutcome,
    now: Instant,
  ): Promise<boolean>;

  /** What counts against an account now, for operators to read. */
  findAttempts(programme: ProgrammeId, account: Digest, now: Instant): Promise<AttemptsShown>;

  /**
   * How many accounts of a programme are locked now: usernames, and known browsers of members. Reads all
   * attempts that still count: for operators, not for requests.
   */
  countLocked(programme: ProgrammeId, now: Instant): Promise<number>;

  /**
   * Counts one event against the window of a key and tells whether the limit allows it. An event
   * that is not allowed is not counted. Costs no durable write: the count may be lost in a crash. Processes
   * of one machine have counts of their own; nodes of a store across a network share one, within the
   * events under way. A window that is longer than the limit's ends as if it had had that length from its
   * start. With `by` -1 the verb takes back an event that was counted at `now` and turned out to be none; a
   * window that began later has not counted it. It answers nothing then, and never rejects.
   */
  count(
    counter: WindowCounter,
    programme: ProgrammeId,
    key: string,
    limit: ThrottleLimit,
    now: Instant,
    by?: 1 | -1,
  ): Promise<WindowOutcome>;
}
