// Owns the store's contract for its own keeping: its time, health, leases, uses of secrets, sweeping.

import type { Instant } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import type { ClientId, ProgrammeId } from '../oauth/client.ts';
import type { SigningKeyRecord } from '../oauth/signing_key.ts';
import type { LeasedNode, NodeFacts } from './node_leases.ts';

/** A time in which the store served nobody. */
export interface Outage {
  readonly from: Instant;
  readonly to: Instant;
}

/** What the store knows of the time. */
export interface StoreTime {
  /** The latest recorded time: a clock that is behind it is wrong. Undefined where none was recorded. */
  readonly recorded: Instant | undefined;
  /**
   * The time by now for the servers of the store. On one machine: the recorded time and the uptime since,
   * which does not depend on clocks; undefined where nothing was recorded since the machine was started.
   * Across a network: the time of the servers that run; undefined where none does.
   */
  readonly current: Instant | undefined;
  /**
   * The time that another process has accepted since this process last accepted or followed one;
   * undefined where there is none. Until it is followed no time is recorded any more.
   */
  readonly acceptedElsewhere: Instant | undefined;
  /**
   * The outages that may still count, in any order: no retry window runs during one, or a refresh whose
   * answer was lost in it would be taken for reuse.
   */
  readonly outages: readonly Outage[];
}

/** Whether a store can do its work. */
export type StoreHealth =
  | { readonly status: 'ready' }
  /** Only reads and verbs that free space or take away rights go on; it passes by itself. */
  | { readonly status: 'full'; readonly detail: string }
  /** It does not answer, or has not confirmed for seconds that it is the one to ask; it may pass. */
  | { readonly status: 'away'; readonly detail: string }
  /** For good: every verb rejects. */
  | { readonly status: 'unusable'; readonly detail: string };

export interface Keeping {
  /**
   * Milliseconds since the epoch by the store's own clock, which judges for all servers. Absent in a store
   * of one machine: there the machine's clock does.
   */
  readonly wall?: () => number;

  /**
   * What the store knows of the time. It records `now` first, if given and later than what is recorded;
   * the record may lag by half a minute: a server's call every second costs next to no commits of its own.
   */
  time(now?: Instant): Promise<StoreTime>;

  /**
   * Goes on at `now`, whatever is recorded: what was issued later than that would live for as long
   * as the clock was ahead: codes and own tokens end, logins begin at `now` (FAULTS 11). Revocations stay (FAULTS 29). With
   * `another_process` the time has been accepted elsewhere (`StoreTime`), and only what this process
   * has issued later than `now` ends.
   */
  acceptTime(now: Instant, acceptedBy?: 'this_process' | 'another_process'): Promise<void>;

  /**
   * Whether the store can do its work: is it still where it was opened, and is there room? Cheap;
   * a server asks every second and tells its readiness by it.
   */
  health(): StoreHealth;

  /**
   * What an operator should mend although the store serves, in words: an answered commit may be lost with
   * one machine. Absent for a store that has one machine anyway.
   */
  readonly warnings?: () => Promise<readonly string[]>;

  /**
   * Remembers that a secret or API key was used, at most once an hour for each: costs no commit of
   * its own and may be lost in a crash. An operator reads it to know when an old secret may go.
   */
  recordSecretUse(programme: ProgrammeId, id: ClientId, secret: Digest, now: Instant): void;

  /** The last recorded use of each secret and API key of a client, by digest. */
  secretUses(programme: ProgrammeId, id: ClientId): Promise<ReadonlyMap<Digest, Instant>>;

  /**
   * Keeps the first candidate, by which another master key is noticed; resolves to the kept one.
   * Where none is kept yet and `opens` refuses the oldest signing key, the candidate is not kept and
   * the result is undefined.
   */
  ensureKeyCheck(
    candidate: string,
    opens: (key: SigningKeyRecord) => boolean,
  ): Promise<string | undefined>;

  /**
   * The node number of `holder`, 0 to 1023: no two holders have one at the same time, as long as
   * each asks again within a minute. Called every second, this costs next to no commits in a store of
   * one machine. In a store across a network each call is a commit, and the proof that the store still
   * serves this process. `facts` are what `nodes` tells of the holder; without them it tells nothing.
   */
  leaseNode(now: Instant, holder: string, facts?: NodeFacts): Promise<number>;

  /**
   * The servers that hold a node number at `now`, by number. A server whose store was closed tells
   * nothing from then on, though its number is taken until the lease ends.
   */
  nodes(now: Instant): Promise<readonly LeasedNode[]>;

  /**
   * Removes what is past its end, at most `limit` rows; returns how many went. A call looks at a
   * bounded number of rows, on from where the last call stopped: 0 does not mean that none is left.
   */
  sweep(now: Instant, limit: number): Promise<number>;

  close(): Promise<void>;
}
