// Tests of gates: how many are inside at once, in what order they go in, and who is sent away.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createGate, GateFull } from '../../src/lib/gate.ts';

/** Work that goes on until it is told to end. */
function held(): { readonly work: () => Promise<string>; readonly end: (text: string) => void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { work: () => promise, end: resolve };
}

test('as many as there is room for are inside; the rest go in as they came', async () => {
  const gate = createGate({ atOnce: 2, waiting: 10 });
  const begun: number[] = [];
  const works = Array.from({ length: 5 }, held);
  const done = works.map(({ work }, index) =>
    gate(() => {
      begun.push(index);
      return work();
    }),
  );
  assert.deepEqual(begun, [0, 1]);
  works[1]?.end('one');
  assert.equal(await done[1], 'one');
  assert.deepEqual(begun, [0, 1, 2]);
  works.forEach(({ end }) => end('rest'));
  await Promise.all(done);
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
});

test('who finds no room to wait is sent away at once, and takes no place', async () => {
  const gate = createGate({ atOnce: 1, waiting: 1 });
  const works = [held(), held()];
  const done = works.map(({ work }) => gate(work));
  let begun = false;
  const late = gate(async () => {
    begun = true;
  });
  await assert.rejects(late, GateFull);
  assert.equal(begun, false);
  works.forEach(({ end }) => end('x'));
  assert.deepEqual(await Promise.all(done), ['x', 'x']);
  assert.equal(await gate(async () => 'again'), 'again');
});

test('work that fails gives its place back', async () => {
  const gate = createGate({ atOnce: 1, waiting: 1 });
  const broken = new Error('broken');
  const first = gate(() => Promise.reject(broken));
  const second = gate(async () => 'second');
  await assert.rejects(first, broken);
  assert.equal(await second, 'second');
  assert.equal(await gate(async () => 'third'), 'third');
});
