// Tests of counting failures: windows, their ends, and the bound on what is remembered.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createFailureCounter } from '../../src/engine/failure_counter.ts';
import { instant } from '../../src/lib/clock.ts';

const at = instant;

test('the limit reached, the window must end; others are not concerned', () => {
  const counter = createFailureCounter({ limit: 2, window: 1000 });
  counter.count('a', at(0));
  assert.equal(counter.blockedFor('a', at(1)), undefined);
  counter.count('a', at(400));
  assert.equal(counter.blockedFor('a', at(400)), 600);
  assert.equal(counter.blockedFor('b', at(400)), undefined);
  assert.equal(counter.blockedFor('a', at(999)), 1);
  assert.equal(counter.blockedFor('a', at(1000)), undefined);
  counter.count('a', at(1000));
  assert.equal(counter.blockedFor('a', at(1000)), undefined);
});

test('FAULTS 10: a clock that went back locks nobody in', () => {
  const counter = createFailureCounter({ limit: 1, window: 1000 });
  counter.count('a', at(1_000_000));
  assert.equal(counter.blockedFor('a', at(0)), undefined);
});

test('windows that are over are forgotten, and the oldest where there are too many', () => {
  const counter = createFailureCounter({ limit: 1, window: 1000 });
  for (let index = 0; index < 100; index += 1) counter.count(`early ${index}`, at(index));
  counter.count('late', at(5000));
  assert.equal(counter.size(), 1);
  for (let index = 0; index < 60_000; index += 1) counter.count(String(index), at(5001));
  assert.equal(counter.size(), 50_000);
  assert.equal(counter.blockedFor('59999', at(5001)), 1000);
  assert.equal(counter.blockedFor('0', at(5001)), undefined);
});
