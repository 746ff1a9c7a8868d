// Owns the circuit breaker: whether something that failed several times in a row is asked again.

import { type Clock, type Instant, type Milliseconds, milliseconds } from '../lib/clock.ts';

export interface BreakerRules {
  /** Failures in a row after which nobody asks for a while. */
  readonly failures: number;
  /** How long that is; then one asks, and the answer decides for all. */
  readonly pause: Milliseconds;
}

/** Two seconds and a probe of at most 1.5: whoever comes back is in use within 5 s (FAULTS 14). */
const usualBreaker: BreakerRules = { failures: 5, pause: milliseconds(2000) };

/** Leave to ask; each ends in one of its two verbs. */
export interface Leave {
  readonly succeed: () => void;
  readonly fail: () => void;
}

export interface CircuitBreaker {
  /** Undefined while it is open, and while somebody else's probe is under way. */
  readonly admit: () => Leave | undefined;
}

export function createBreaker(clock: Clock, rules: BreakerRules = usualBreaker): CircuitBreaker {
  let failures = 0;
  let openedAt: Instant | undefined;
  let probing = false;

  const isResting = (opened: Instant): boolean => {
    const rested = clock.now() - opened;
    // A clock that was set back must not keep it open for as long.
    return rested >= 0 && rested < rules.pause;
  };
  const leave = (probes: boolean): Leave => ({
    succeed: () => {
      failures = 0;
      openedAt = undefined;
      probing = false;
    },
    fail: () => {
      // Who began before it opened knows nothing of how things stand now.
      if (openedAt !== undefined && !probes) return;
      failures += 1;
      probing = false;
      if (probes || failures >= rules.failures) openedAt = clock.now();
    },
  });
  return {
    admit: () => {
      if (openedAt === undefined) return leave(false);
      if (probing || isResting(openedAt)) return undefined;
      probing = true;
      return leave(true);
    },
  };
}
