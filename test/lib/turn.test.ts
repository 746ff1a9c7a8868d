// The order of work within a turn of the event loop.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { inTurn } from '../../src/lib/turn.ts';

/** Until everything that was asked for has been done. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await nextTurn();
}

test('each step is done for everybody before the next begins', async () => {
  const done: string[] = [];
  for (const who of ['a', 'b']) {
    inTurn('replies', () => done.push(`reply ${who}`));
    inTurn('commits', () => done.push(`commit ${who}`));
    inTurn('requests', () => done.push(`request ${who}`));
  }
  assert.deepEqual(done, []);
  await settled();
  assert.deepEqual(done, ['request a', 'request b', 'commit a', 'commit b', 'reply a', 'reply b']);
});

test('what a step asks of a later one, however many promises later, belongs to the same turn', async () => {
  const done: string[] = [];
  const serve = async (who: string): Promise<void> => {
    for (let wait = 0; wait < 20; wait += 1) await Promise.resolve();
    await new Promise<void>((resolve) => {
      inTurn('commits', () => {
        done.push(`commit ${who}`);
        resolve();
      });
    });
    for (let wait = 0; wait < 20; wait += 1) await Promise.resolve();
    inTurn('replies', () => done.push(`reply ${who}`));
  };
  inTurn('requests', () => void serve('a'));
  inTurn('requests', () => void serve('b'));
  // The turn after, in which nothing of this one may be left.
  inTurn('replies', () => inTurn('requests', () => done.push('next turn')));
  await settled();
  assert.deepEqual(done, ['commit a', 'commit b', 'reply a', 'reply b', 'next turn']);
});

test('what comes for a step that is over waits for the next turn, and is not forgotten', async () => {
  const done: string[] = [];
  inTurn('commits', () => {
    done.push('commit');
    inTurn('requests', () => done.push('request'));
    inTurn('commits', () => done.push('commit again'));
    inTurn('replies', () => done.push('reply'));
  });
  await settled();
  assert.deepEqual(done, ['commit', 'reply', 'request', 'commit again']);
  inTurn('requests', () => done.push('later'));
  await settled();
  assert.equal(done.at(-1), 'later');
});
