// Owns how login attempts are counted: what an attempt and its outcome make of an account's state.

import { after, type Instant, type Milliseconds, milliseconds } from '../lib/clock.ts';

/** How many attempts an account has in a window, and how long it is locked after one more. */
export interface AttemptPolicy {
  readonly attempts: number;
  readonly window: Milliseconds;
  readonly lock: Milliseconds;
}

/** What the directory said; `undecided` when it could not. */
export type AttemptOutcome = 'match' | 'no_match' | 'undecided';

/** Whether the directory may be asked; if not, for how long not. */
export type LoginAttempt =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfter: Milliseconds };

/** An account's attempts: those that did not match, and those that are not decided yet. */
export interface AttemptState {
  readonly used: number;
  readonly windowEndsAt: Instant;
  readonly lockedUntil?: Instant;
}

/** What counts against an account. */
export interface AttemptsShown {
  /** Attempts that did not match, and those that are not decided yet. */
  readonly failures: number;
  /** Present while the account is locked. */
  readonly lockedUntil?: Instant;
}

/** What a state amounts to now: one that is over counts no more. */
export function showAttempts(state: AttemptState | undefined, now: Instant): AttemptsShown {
  if (state === undefined || now >= attemptsEndAt(state)) return { failures: 0 };
  const { used: failures, lockedUntil } = state;
  return { failures, ...(lockedUntil === undefined ? {} : { lockedUntil }) };
}

/** When a state is over, and may be forgotten. */
export function attemptsEndAt({ windowEndsAt, lockedUntil }: AttemptState): Instant {
  return lockedUntil ?? windowEndsAt;
}

/**
 * Reserves an attempt, or refuses it; the one that exceeds the limit locks the account. A refused
 * attempt during the lock changes nothing (the state that is returned is the one given).
 */
export function beginAttempt(
  before: AttemptState | undefined,
  { attempts, window, lock }: AttemptPolicy,
  now: Instant,
): { readonly state: AttemptState; readonly answer: LoginAttempt } {
  // One that would outlast a whole new one is from before a jump of the clock or a shorter policy.
  const span = before?.lockedUntil === undefined ? window : lock;
  const left = before === undefined ? 0 : attemptsEndAt(before) - now;
  const state = before !== undefined && left > 0 && left <= span ? before : undefined;
  if (state === undefined) {
    return { state: { used: 1, windowEndsAt: after(now, window) }, answer: { allowed: true } };
  }
  if (state.lockedUntil !== undefined) {
    return { state, answer: { allowed: false, retryAfter: milliseconds(left) } };
  }
  if (state.used < attempts) {
    return { state: { ...state, used: state.used + 1 }, answer: { allowed: true } };
  }
  const lockedUntil = after(now, lock);
  return { state: { ...state, lockedUntil }, answer: { allowed: false, retryAfter: lock } };
}

/**
 * What is left of the state once an attempt is decided: nothing after a match. An undecided one is
 * given back, and with it goes a lock that it helped to bring about: of a window's attempts no more
 * than the limit are ever judged.
 */
export function endAttempt(
  before: AttemptState | undefined,
  outcome: AttemptOutcome,
  now: Instant,
): AttemptState | undefined {
  if (before === undefined || outcome === 'match') return undefined;
  if (outcome === 'no_match' || now >= attemptsEndAt(before)) return before;
  if (before.used <= 1) return undefined;
  return { used: before.used - 1, windowEndsAt: before.windowEndsAt };
}
