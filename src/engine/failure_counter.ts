// Owns counting failures of one kind by whom they came from, in memory: what is counted, and what
// the count means, is the caller's.

import { BoundedMap } from '../lib/bounded_map.ts';
import type { Instant, Milliseconds } from '../lib/clock.ts';
import { milliseconds } from '../lib/clock.ts';
import type { ThrottleLimit } from '../oauth/client.ts';

/** Failures of one kind. */
export interface FailureCounter {
  /** How long nothing more is allowed; undefined while the limit is not reached. */
  readonly blockedFor: (who: string, now: Instant) => Milliseconds | undefined;
  readonly count: (who: string, now: Instant) => void;
  /** How many are remembered. */
  readonly size: () => number;
}

interface Window {
  failures: number;
  readonly endsAt: number;
}

/**
 * What is remembered stays within some 10 MB. Who has more addresses than this is past any limit
 * per address; the oldest windows are forgotten first.
 */
const most = 50_000;

/** Windows of fixed length that begin with a first failure. */
export function createFailureCounter({ limit, window: span }: ThrottleLimit): FailureCounter {
  const windows = new BoundedMap<string, Window>(most);
  const find = (who: string, now: Instant): Window | undefined => {
    const window = windows.get(who);
    // One that would outlast a whole new one is from before a jump of the clock.
    const isOpen = window !== undefined && now < window.endsAt && window.endsAt - now <= span;
    return isOpen ? window : undefined;
  };
  return {
    blockedFor: (who, now) => {
      const window = find(who, now);
      if (window === undefined || window.failures < limit) return undefined;
      return milliseconds(window.endsAt - now);
    },
    count: (who, now) => {
      const window = find(who, now);
      if (window !== undefined) {
        window.failures += 1;
        return;
      }
      // The map is in order of beginning: what is over stands in front.
      windows.delete(who);
      for (let oldest = windows.oldest(); oldest !== undefined; oldest = windows.oldest()) {
        if (now < (windows.get(oldest)?.endsAt ?? 0)) break;
        windows.delete(oldest);
      }
      windows.set(who, { failures: 1, endsAt: now + span });
    },
    size: () => windows.size,
  };
}
