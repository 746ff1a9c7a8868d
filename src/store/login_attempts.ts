// Owns how login attempts are counted: the change of an account's state by an attempt and by its outcome.

import { after, closeClocks, type Instant, milliseconds } from '../lib/clock.ts';
import type { AttemptPolicy, LoginAttempt } from './counters.ts';

/** An account's attempts, as a backend keeps them. */
export interface AttemptState {
  /** Attempts that did not match, and attempts that are not decided yet. */
  readonly used: number;
  readonly windowEndsAt: Instant;
  readonly lockedUntil?: Instant;
}

/** Pure: it may run twice. */
export type AttemptChange<T> = (before: AttemptState | undefined) => {
  readonly state: AttemptState | undefined;
  readonly answer: T;
};

/** The instant after which a state no longer counts and may be removed. */
export function attemptsEndAt({ windowEndsAt, lockedUntil }: AttemptState): Instant {
  return lockedUntil ?? windowEndsAt;
}

/**
 * Reserves an attempt, or refuses it; the attempt that exceeds the limit locks the account. A refused
 * attempt during the lock changes nothing: the state that is returned is the state given.
 */
export function reserveAttempt(
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
export function settleAttempt(
  before: AttemptState | undefined,
  outcome: 'match' | 'undecided',
  now: Instant,
): AttemptState | undefined {
  if (before === undefined || outcome === 'match') return undefined;
  if (now >= attemptsEndAt(before)) return before;
  if (before.used <= 1) return undefined;
  return { used: before.used - 1, windowEndsAt: before.windowEndsAt };
}
