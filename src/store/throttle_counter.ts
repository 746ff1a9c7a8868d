// Owns counting of token requests per client inside this process; not the limits, which come with each call.

import type { Instant } from '../lib/clock.ts';
import type { ClientId, ProgrammeId, ThrottleLimit } from '../oauth/client.ts';
import type { ThrottleOutcome } from './counters.ts';

interface Window {
  used: number;
  readonly endsAt: number;
}

/**
 * Fixed windows that begin with a client's first request, one per programme and client over all
 * grants (G-18). Kept in memory: a throttle never costs an fsync.
 */
export class ThrottleCounter {
  readonly #windows = new Map<string, Window>();
  /** All before it has gone: whoever begins at the front steps over the gaps of those that have. */
  #oldestFirst = this.#windows.entries();

  /** How many windows are remembered; it stays within twice those that are open. */
  get size(): number {
    return this.#windows.size;
  }

  /** Counts one request at `now`, unless the window is used up. */
  count(
    programme: ProgrammeId,
    client: ClientId,
    throttle: ThrottleLimit,
    now: Instant,
  ): ThrottleOutcome {
    const name = `${programme}\0${client}`;
    const open = this.#windows.get(name);
    const window = isOpen(open, throttle, now) ? open : this.#begin(name, throttle, now);
    const allowed = window.used < throttle.limit;
    if (allowed) window.used += 1;
    return { allowed, retryAfter: window.endsAt - now };
  }

  #begin(name: string, throttle: ThrottleLimit, now: Instant): Window {
    this.#windows.delete(name);
    this.#dropEnded(now);
    const window = { used: 0, endsAt: now + throttle.window };
    this.#windows.set(name, window);
    return window;
  }

  /** Looks at two old windows for each new one, so that none stays for long and no request pays. */
  #dropEnded(now: Instant): void {
    // One that is not asked keeps every layout of the map that there was since it was.
    if (this.#windows.size === 0) this.#oldestFirst = this.#windows.entries();
    // No more than there are: an iterator that has come to an end sees nothing that is set later.
    for (let looks = Math.min(2, this.#windows.size); looks > 0; looks -= 1) {
      const oldest = this.#oldestFirst.next();
      if (oldest.done === true) return;
      const [name, window] = oldest.value;
      this.#windows.delete(name);
      // One that is still open goes to the back, lest it hides ended ones behind it.
      if (now < window.endsAt) this.#windows.set(name, window);
    }
  }
}

/** A window that would outlast a whole new one is from before a jump of the clock or a shorter limit. */
function isOpen(
  window: Window | undefined,
  throttle: ThrottleLimit,
  now: Instant,
): window is Window {
  return window !== undefined && now < window.endsAt && window.endsAt - now <= throttle.window;
}
