// Owns the store's contract for counters: login attempts at accounts, and requests of clients.

import type { Instant } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import type { ClientId, ProgrammeId, ThrottleLimit } from '../oauth/client.ts';
import type {
  AttemptOutcome,
  AttemptPolicy,
  AttemptsShown,
  LoginAttempt,
} from './login_attempts.ts';

export interface ThrottleOutcome {
  readonly allowed: boolean;
  /** Milliseconds until the window ends. */
  readonly retryAfter: number;
}

/** What is counted against a limit. */
export interface Counters {
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

  /** Counts one token request against a client's window; costs no durable write. */
  countTokenRequest(
    programme: ProgrammeId,
    client: ClientId,
    throttle: ThrottleLimit,
    now: Instant,
  ): Promise<ThrottleOutcome>;
}
