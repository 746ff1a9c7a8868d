// Owns the part of the Store contract that is about the store's own time.

import type { Instant } from '../lib/clock.ts';
import type { AcceptedTime } from './judgement.ts';

/** The time that the servers of a store go by, and write down for those who come later. */
export interface StoreTime {
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
}
