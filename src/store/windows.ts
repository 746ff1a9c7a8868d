// Owns counting in windows inside this process, where counting costs no durable write.

import { BoundedMap } from '../lib/bounded_map.ts';
import { type Instant, milliseconds } from '../lib/clock.ts';
import type { ProgrammeId, ThrottleLimit } from '../oauth/client.ts';
import type { Counters, WindowCounter, WindowOutcome } from './counters.ts';

interface Window {
  used: number;
  readonly beganAt: Instant;
  endsAt: number;
}

/**
 * Windows of fixed length by key. A window begins when its key is first counted (G-18). At most
 * `most` windows are remembered; one more, and the oldest window is forgotten.
 */
export class Windows {
  readonly #most: number;
  readonly #windows: BoundedMap<string, Window>;

  constructor(most: number) {
    this.#most = most;
    this.#windows = new BoundedMap(most);
  }

  /** How many windows are remembered, ended windows included. */
  get size(): number {
    return this.#windows.size;
  }

  /** Counts one at `now`, unless the key's window is used up. */
  count(key: string, limit: ThrottleLimit, now: Instant): WindowOutcome {
    const window = this.#open(key, limit, now) ?? this.#begin(key, limit, now);
    const allowed = window.used < limit.limit;
    if (allowed) window.used += 1;
    return outcomeOf(allowed, window, limit, now);
  }

  /** Takes back one that was counted at `countedAt`; nothing of a window that began later. */
  giveBack(key: string, countedAt: Instant): void {
    const window = this.#windows.get(key);
    if (window === undefined || window.beganAt > countedAt) return;
    window.used = Math.max(0, window.used - 1);
  }

  /** Whether a window of the key is remembered. */
  has(key: string): boolean {
    return this.#windows.get(key) !== undefined;
  }

  /** Opens the key's window, if it is open or no open one has to be forgotten for it. */
  admit(key: string, limit: ThrottleLimit, now: Instant): boolean {
    if (this.#open(key, limit, now) !== undefined) return true;
    this.#dropEnded(now, now + limit.window);
    if (this.size >= this.#most && this.#windows.get(key) === undefined) return false;
    this.#begin(key, limit, now);
    return true;
  }

  #open(key: string, { window: span }: ThrottleLimit, now: Instant): Window | undefined {
    const window = this.#windows.get(key);
    if (window === undefined) return undefined;
    // A reload that shortens windows frees no guesser: a window keeps its count, and ends as if it had had
    // the new length from its start (HOSTILE 81). One that began later than now is from before a jump of
    // the clock: it ends when a new one would.
    window.endsAt = Math.min(window.endsAt, Math.min(window.beganAt, now) + span);
    return now < window.endsAt ? window : undefined;
  }

  #begin(key: string, { window: span }: ThrottleLimit, now: Instant): Window {
    this.#windows.delete(key);
    this.#dropEnded(now, now + span);
    const window = { used: 0, beganAt: now, endsAt: now + span };
    this.#windows.set(key, window);
    return window;
  }

  /** Checks two old windows for each new window: ended windows are removed soon, at a small cost a request. */
  #dropEnded(now: Instant, newEnd: number): void {
    for (let looks = 2; looks > 0; looks -= 1) {
      const key = this.#windows.oldest();
      const window = key === undefined ? undefined : this.#windows.get(key);
      if (key === undefined || window === undefined) return;
      // All windows behind a window of the same length end later than it does.
      if (now < window.endsAt && window.endsAt <= newEnd) return;
      this.#windows.delete(key);
      // A longer window would hide ended windows behind it.
      if (now < window.endsAt) this.#windows.set(key, window);
    }
  }
}

/** What a window tells of itself. A window of another node's clock ends no later than a new one would. */
export function outcomeOf(
  allowed: boolean,
  { used, endsAt }: Pick<Window, 'used' | 'endsAt'>,
  { limit, window: span }: ThrottleLimit,
  now: Instant,
): WindowOutcome {
  // A client may have had a higher limit when the window began.
  const remaining = Math.max(0, limit - used);
  return { allowed, remaining, retryAfter: milliseconds(Math.min(endsAt - now, span)) };
}

/**
 * How many windows of a programme are remembered. Throttles: more than a programme has clients.
 * Failures come from strangers: 50,000 windows take some 10 MB, and a guesser with more addresses
 * than that is past any limit per address.
 */
export const mostWindows: Readonly<Record<WindowCounter, number>> = {
  token_request: 1_000_000,
  failed_login: 50_000,
  failed_secret: 50_000,
  failed_key: 50_000,
};

/** Told of an event that was taken back; nobody asks for more. */
export const takenBack: WindowOutcome = {
  allowed: true,
  remaining: 0,
  retryAfter: milliseconds(0),
};

/** The verb `count`, for a store whose counters live in the process. */
export function countInProcess(): Counters['count'] {
  const counters = new Map<WindowCounter, Map<ProgrammeId, Windows>>();
  return (counter, programme, key, limit, now, by = 1) => {
    let windows = counters.get(counter)?.get(programme);
    if (windows === undefined) {
      windows = new Windows(mostWindows[counter]);
      const programmes = counters.get(counter) ?? new Map<ProgrammeId, Windows>();
      counters.set(counter, programmes.set(programme, windows));
    }
    if (by > 0) return Promise.resolve(windows.count(key, limit, now));
    windows.giveBack(key, now);
    return Promise.resolve(takenBack);
  };
}
