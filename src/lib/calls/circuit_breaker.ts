// Owns the circuit breaker: stops calls to a service after several failures in a row.

import { type Clock, type Instant, type Milliseconds, milliseconds } from '../clock.ts';

export interface BreakerRules {
  readonly failures: number;
  /** How long the breaker stays open before one probe. */
  readonly pause: Milliseconds;
}

/** With a probe of at most 1.5 s, a recovered service is used again within 5 s (FAULTS 14). */
const usualBreaker: BreakerRules = { failures: 5, pause: milliseconds(2000) };

/** Permission for one call; the caller reports its outcome with one of the two verbs. */
export interface Leave {
  readonly succeed: () => void;
  readonly fail: () => void;
}

export interface CircuitBreaker {
  /** Undefined while the breaker is open, and during a probe. */
  readonly admit: () => Leave | undefined;
  /** Whether calls are stopped, or one probes. */
  readonly isOpen: () => boolean;
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
    // The outcome of a call from before the breaker opened says nothing about the service now.
    succeed: () => {
      if (openedAt !== undefined && !probes) return;
      failures = 0;
      openedAt = undefined;
      probing = false;
    },
    fail: () => {
      if (openedAt !== undefined && !probes) return;
      failures += 1;
      probing = false;
      if (probes || failures >= rules.failures) openedAt = clock.now();
    },
  });
  return {
    isOpen: () => openedAt !== undefined,
    admit: () => {
      if (openedAt === undefined) return leave(false);
      if (probing || isResting(openedAt)) return undefined;
      probing = true;
      return leave(true);
    },
  };
}
