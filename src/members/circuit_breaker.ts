// Owns the circuit breaker: whether a service that failed several times in a row is asked again.

import { type Clock, type Instant, type Milliseconds, milliseconds } from '../lib/clock.ts';

export interface BreakerRules {
  /** Failures in a row that open the breaker. */
  readonly failures: number;
  /** How long it stays open; then one probe decides. */
  readonly pause: Milliseconds;
}

/** Two seconds and a probe of at most 1.5: a service that is back is in use within 5 s (FAULTS 14). */
const usualBreaker: BreakerRules = { failures: 5, pause: milliseconds(2000) };

/** Permission to ask; the caller ends it with one of the two verbs. */
export interface Leave {
  readonly succeed: () => void;
  readonly fail: () => void;
}

export interface CircuitBreaker {
  /** Undefined while the breaker is open, and while a probe is under way. */
  readonly admit: () => Leave | undefined;
}

export function createBreaker(clock: Clock, rules: BreakerRules = usualBreaker): CircuitBreaker {
  let failures = 0;
  let openedAt: Instant | undefined;
  let probing = false;

  const isResting = (opened: Instant): boolean => {
    const rested = clock.now() - opened;
    // A clock that was set back must not keep the breaker open.
    return rested >= 0 && rested < rules.pause;
  };
  const leave = (probes: boolean): Leave => ({
    succeed: () => {
      failures = 0;
      openedAt = undefined;
      probing = false;
    },
    fail: () => {
      // A question from before the breaker opened tells nothing of the present.
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
