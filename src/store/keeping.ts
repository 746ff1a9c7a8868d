// Owns the store's contract for its own keeping: its time, leases, uses of secrets, and sweeping.

import type { Instant } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import type { ClientId, ProgrammeId } from '../oauth/client.ts';
import type { SigningKeyRecord } from '../oauth/signing_key.ts';
import type { AcceptedTime } from './judgement.ts';

/** What the store does for its servers and for itself. */
export interface Keeping {
  /** The latest time the store has recorded; clocks that are behind it cannot be right. */
  recordedTime(): Promise<Instant | undefined>;
  /**
   * What it is by now for the servers of the store: the recorded time, and what has passed since by
   * the machine's uptime, which is no matter of clocks. Undefined where nothing was recorded since
   * the machine was started, and in a store that no other process can have.
   */
  currentTime(): Promise<Instant | undefined>;
  /**
   * Records the time, if it is later than what is recorded. The record may lag by half a minute:
   * asked every second, it costs next to no commits of its own.
   */
  recordTime(now: Instant): Promise<void>;

  /**
   * Goes on at `now`, whatever is recorded: what was issued later than that would live for as long as
   * the clock was ahead, so it ends (FAULTS 11). What was revoked stays revoked (FAULTS 29).
   */
  acceptTime(now: Instant): Promise<void>;
  /**
   * The time that another process has accepted since this one last accepted or followed one;
   * undefined where there is none. Until it is followed nothing is recorded any more.
   */
  acceptedElsewhere(): Promise<AcceptedTime | undefined>;
  /** Ends what this process issued later than `now`, which follows a time accepted elsewhere. */
  followTime(now: Instant): Promise<void>;

  /**
   * Remembers that a secret or API key was used, at most once an hour for each: costs no commit of
   * its own and may be lost in a crash. An operator reads it to know when an old one may go.
   */
  recordSecretUse(programme: ProgrammeId, id: ClientId, secret: Digest, now: Instant): void;

  /** Last recorded use of each secret and API key of a client, by digest. */
  secretUses(programme: ProgrammeId, id: ClientId): Promise<ReadonlyMap<Digest, Instant>>;

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

  /**
   * Forgets what is past its end, at most `limit` rows; returns how many went. A call looks at a
   * bounded number of rows, on from where the last one stopped: 0 does not mean that none is left.
   */
  sweep(now: Instant, limit: number): Promise<number>;

  close(): Promise<void>;
}
