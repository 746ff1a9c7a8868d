// Owns how login attempts are counted: the change of an account's state by an attempt and by its outcome.

import { after, closeClocks, type Instant, milliseconds } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import { present } from '../lib/present.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { AttemptPolicy, Counters, LoginAttempt } from './counters.ts';

/** An account's attempts, as a backend keeps them. */
export interface AttemptState {
  /** Attempts that did not match, and attempts that are not decided yet. */
  readonly used: number;
  readonly windowEndsAt: Instant;
  readonly lockedUntil?: Instant;
}

/** What a backend does with the attempts of an account. */
export interface AttemptRows {
  readonly find: (programme: ProgrammeId, account: Digest) => Promise<AttemptState | undefined>;
  /** How many states of a programme have a `lockedUntil` after `now`. */
  readonly countLocked: Counters['countLocked'];
  /**
   * Replaces the state by the result of `change`, or removes it where that is undefined, in one durable
   * and atomic step. `change` is pure and may run twice.
   * `urgent` changes go on when the disk is full.
   */
  readonly change: <T>(
    programme: ProgrammeId,
    account: Digest,
    change: AttemptChange<T>,
    urgent?: 'urgent',
  ) => Promise<T>;
}

export type AttemptChange<T> = (before: AttemptState | undefined) => {
  readonly state: AttemptState | undefined;
  readonly answer: T;
};

/** The verbs of login attempts over a backend's rows. */
export function attemptVerbs({ find, change, countLocked }: AttemptRows): Omit<Counters, 'count'> {
  return {
    reserveAttempt: (programme, account, policy, now) =>
      change(programme, account, (before) => reserveAttempt(before, policy, now)),
    settleAttempt: async (programme, account, outcome, now) => {
      // The reserved attempt stays counted.
      if (outcome === 'no_match') return;
      await change(programme, account, (before) => ({
        state: settleAttempt(before, outcome, now),
        answer: undefined,
      }));
    },
    findAttempts: async (programme, account, now) => {
      const state = await find(programme, account);
      if (state === undefined || now >= attemptsEndAt(state)) return { failures: 0 };
      return present({ failures: state.used, lockedUntil: state.lockedUntil });
    },
    countLocked,
    unlock: (programme, account) => {
      const end: AttemptChange<boolean> = (before) => ({
        state: undefined,
        answer: before !== undefined,
      });
      return change(programme, account, end, 'urgent');
    },
  };
}

/** The instant after which a state no longer counts and may be removed. */
function attemptsEndAt({ windowEndsAt, lockedUntil }: AttemptState): Instant {
  return lockedUntil ?? windowEndsAt;
}

/**
 * Reserves an attempt, or refuses it; the attempt that exceeds the limit locks the account. A refused
 * attempt during the lock changes nothing: the state that is returned is the state given.
 */
function reserveAttempt(
  before: AttemptState | undefined,
  { attempts, window, lock }: AttemptPolicy,
  now: Instant,
): { readonly state: AttemptState; readonly answer: LoginAttempt } {
  const state = before && shortened(before, { window, lock }, now);
  if (state === undefined || now >= attemptsEndAt(state)) {
    return { state: { used: 1, windowEndsAt: after(now, window) }, answer: { allowed: true } };
  }
  if (state.lockedUntil !== undefined) {
    const left = Math.min(state.lockedUntil - now, lock);
    return { state, answer: { allowed: false, retryAfter: milliseconds(left) } };
  }
  if (state.used < attempts) {
    return { state: { ...state, used: state.used + 1 }, answer: { allowed: true } };
  }
  const lockedUntil = after(now, lock);
  return { state: { ...state, lockedUntil }, answer: { allowed: false, retryAfter: lock } };
}

/**
 * A state that would outlast a new one is from before a jump of the clock, or of a longer policy. It ends
 * when a new one would, and not at once: a reload that shortens a lock frees no guesser (HOSTILE 81). A lock
 * began before the end of its window, so that it ends, whenever it is next asked about, at the latest
 * a window after its start and the new length.
 */
function shortened(
  state: AttemptState,
  { window, lock }: Pick<AttemptPolicy, 'window' | 'lock'>,
  now: Instant,
): AttemptState {
  const isLocked = state.lockedUntil !== undefined;
  const span = isLocked ? lock : window;
  const kept = attemptsEndAt(state);
  const latest = isLocked ? after(state.windowEndsAt, lock) : kept;
  const longest = latest < kept ? latest : kept;
  const endsAt = longest - now <= span + closeClocks ? longest : after(now, span);
  if (endsAt === kept) return state;
  return isLocked ? { ...state, lockedUntil: endsAt } : { ...state, windowEndsAt: endsAt };
}

/**
 * The state after a match (undefined) or an undecided attempt. The undecided attempt no longer counts,
 * and a lock that it caused ends: the directory still judges no more attempts of a window than the limit.
 */
function settleAttempt(
  before: AttemptState | undefined,
  outcome: 'match' | 'undecided',
  now: Instant,
): AttemptState | undefined {
  if (before === undefined || outcome === 'match') return undefined;
  if (now >= attemptsEndAt(before)) return before;
  if (before.used <= 1) return undefined;
  return { used: before.used - 1, windowEndsAt: before.windowEndsAt };
}
