// Owns the promises of the circuit breaker (FAULTS 14): when nobody asks, who asks first, and that
// it closes again.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  type CircuitBreaker,
  createBreaker,
  type Leave,
} from '../../../src/lib/calls/circuit_breaker.ts';
import { instant } from '../../../src/lib/clock.ts';
import { testClock } from '../../support/clock.ts';

function admitted(leave: Leave | undefined): Leave {
  assert.ok(leave, 'nobody is let in');
  return leave;
}

function failInTurn(breaker: CircuitBreaker, times: number): void {
  for (let time = 0; time < times; time += 1) admitted(breaker.admit()).fail();
}

describe('the circuit breaker', () => {
  test('opens after five failures in a row, not after five among successes', () => {
    const breaker = createBreaker(testClock());
    for (const _ of Array.from({ length: 10 })) {
      failInTurn(breaker, 4);
      admitted(breaker.admit()).succeed();
    }
    failInTurn(breaker, 5);
    assert.equal(breaker.admit(), undefined);
  });

  test('after two seconds one asks; a failure keeps it open, a success closes it', () => {
    const clock = testClock();
    const breaker = createBreaker(clock);
    failInTurn(breaker, 5);
    clock.advance(1.999);
    assert.equal(breaker.admit(), undefined);
    clock.advance(0.001);
    const probe = admitted(breaker.admit());
    assert.equal(breaker.admit(), undefined, 'a second one beside the probe');
    probe.fail();
    assert.equal(breaker.admit(), undefined);
    clock.advance(2);
    admitted(breaker.admit()).succeed();
    // Closed for all, and the count begins anew.
    failInTurn(breaker, 4);
    admitted(breaker.admit());
  });

  test('who began before it opened neither keeps it open, nor closes it, nor ends a probe', () => {
    const clock = testClock();
    const breaker = createBreaker(clock);
    const early = Array.from({ length: 5 }, () => admitted(breaker.admit()));
    failInTurn(breaker, 5);
    early[3]?.succeed();
    assert.equal(breaker.admit(), undefined);
    clock.advance(2);
    early[0]?.fail();
    const probe = admitted(breaker.admit());
    early[1]?.fail();
    early[4]?.succeed();
    assert.equal(breaker.admit(), undefined);
    probe.succeed();
    early[2]?.fail();
    admitted(breaker.admit());
  });

  test('a clock that is set back does not keep it open', () => {
    let now = 10_000_000;
    const breaker = createBreaker({ now: () => instant(now) });
    failInTurn(breaker, 5);
    now -= 3_600_000;
    admitted(breaker.admit());
  });
});
