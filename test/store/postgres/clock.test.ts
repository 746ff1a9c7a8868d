// Tests of the database's clock as a process knows it, over answers that take their time.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';

import { databaseClock } from '../../../src/store/postgres/clock.ts';
import type { Link } from '../../../src/store/postgres/link/link.ts';

const epoch = 1_750_000_000_000;

/** A database whose clock is `ahead` of this process's, and an answer on ways of such milliseconds. */
function scene(t: TestContext) {
  let passed = 1000;
  t.mock.method(performance, 'now', () => passed);
  const clock = databaseClock();
  return {
    pass: (span: number) => {
      passed += span;
    },
    ask: (there: number, back: number, ahead = 0): Promise<void> => {
      const run = async () => {
        passed += there;
        const time = Math.floor(epoch + passed + ahead);
        passed += back;
        return [[time]];
      };
      return clock.ask({ run } as unknown as Link);
    },
    /** How far the clock is from a database that is not ahead. */
    error: (): number => clock.wall() - epoch - passed,
  };
}

test('FAULTS 12: of the answers of a minute the one with the shortest way counts', async (t) => {
  const { pass, ask, error } = scene(t);
  await ask(40, 0);
  assert.equal(error(), 20.5);
  await ask(1, 1);
  assert.equal(error(), 0.5);
  pass(30_000);
  await ask(0, 300);
  assert.equal(error(), 0.5);
  pass(30_000);
  // The short one is too old by now.
  await ask(0, 10);
  assert.equal(error(), -4.5);
});

test('FAULTS 12: answers from before somebody set the clock count no more', async (t) => {
  const { ask, error } = scene(t);
  await ask(1, 1);
  await ask(5, 5, 7000);
  assert.equal(error(), 7000.5);
  await ask(5, 5, -3_600_000);
  assert.equal(error(), -3_599_999.5);
});
