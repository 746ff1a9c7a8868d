// Tests of the figures of programmes while their store is away.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { systemClock } from '../../src/lib/clock.ts';
import { Unavailable } from '../../src/oauth/failure.ts';
import { figuresOf } from '../../src/server/figures.ts';
import { programmeOf } from '../support/definition.ts';
import { type FailingVerb, failingStore } from '../support/failing_store.ts';

test('FAULTS 13: whichever questions of a scrape the store fails, none of them ends the process', async (t) => {
  const served = { programme: programmeOf() };
  const { store, fail, heal } = failingStore();
  const clock = systemClock();
  const unheard: unknown[] = [];
  const note = (error: unknown): void => void unheard.push(error);
  process.on('unhandledRejection', note);
  t.after(() => process.off('unhandledRejection', note));
  const asked: readonly FailingVerb[] = [
    'find maintenance',
    'countLocked',
    'list signing_key',
    'list token_key',
  ];
  const parts = { store, clock };
  assert.equal((await figuresOf(parts, served)).locked, 0);
  for (const failing of [...asked.map((verb) => [verb]), asked]) {
    for (const verb of failing) fail(verb, new Unavailable('no commit was confirmed'));
    await assert.rejects(figuresOf(parts, served), Unavailable);
    // Node tells of a rejection that nobody hears once the microtasks of its turn are over.
    await setImmediate();
    heal();
  }
  assert.deepEqual(unheard, []);
});
