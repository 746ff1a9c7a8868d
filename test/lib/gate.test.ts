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
    gate.pass(() => {
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
  const done = works.map(({ work }) => gate.pass(work));
  let begun = false;
  const late = gate.pass(async () => {
    begun = true;
  });
  await assert.rejects(late, GateFull);
  assert.equal(begun, false);
  works.forEach(({ end }) => end('x'));
  assert.deepEqual(await Promise.all(done), ['x', 'x']);
  assert.equal(await gate.pass(async () => 'again'), 'again');
});

test('work that fails gives its place back', async () => {
  const gate = createGate({ atOnce: 1, waiting: 1 });
  const broken = new Error('broken');
  const first = gate.pass(() => Promise.reject(broken));
  const second = gate.pass(async () => 'second');
  await assert.rejects(first, broken);
  assert.equal(await second, 'second');
  assert.equal(await gate.pass(async () => 'third'), 'third');
});

test('who gives up leaves the queue at once; the others go in as they came', async () => {
  const gate = createGate({ atOnce: 1, waiting: 2 });
  const [first, other] = [held(), held()];
  const begun: string[] = [];
  const enter = (name: string, work: () => Promise<string>, hangUp?: AbortSignal) =>
    gate.pass(
      () => {
        begun.push(name);
        return work();
      },
      { hangUp },
    );
  const leaving = new AbortController();
  const under = enter('first', first.work, leaving.signal);
  const left = enter('left', other.work, leaving.signal);
  const stays = enter('stays', other.work);
  const gone = new Error('gone');
  leaving.abort(gone);
  await assert.rejects(left, gone);
  await assert.rejects(enter('late', other.work, leaving.signal), gone);
  // In its place.
  const next = enter('next', other.work, new AbortController().signal);
  await assert.rejects(enter('too many', other.work), GateFull);
  first.end('done');
  other.end('other');
  assert.deepEqual(await Promise.all([under, stays, next]), ['done', 'other', 'other']);
  assert.deepEqual(begun, ['first', 'stays', 'next']);
});

/** A gate with one piece of work inside; of the others the names in the order of their beginning. */
function busyGate(waiting: number) {
  const gate = createGate({ atOnce: 1, waiting });
  const { work, end } = held();
  const under = gate.pass(work);
  const begun: string[] = [];
  const refused: string[] = [];
  const passes: Promise<unknown>[] = [under];
  return {
    come: (name: string, ...owners: string[]): void => {
      const pass = gate.pass(async () => begun.push(name), { owners });
      passes.push(pass.catch(() => refused.push(name)));
    },
    finish: async () => {
      end('done');
      await Promise.all(passes);
      return { begun, refused };
    },
  };
}

test('HOSTILE 60: owners take turns, however many pieces of work one of them has waiting', async () => {
  const gate = busyGate(10);
  for (const name of ['a1', 'a2', 'a3', 'a4']) gate.come(name, 'a');
  for (const name of ['b1', 'b2']) gate.come(name, 'b');
  gate.come('nobody');
  // Whoever shares one owner with another comes after it.
  gate.come('ac', 'c', 'a');
  gate.come('c', 'c');
  assert.deepEqual(await gate.finish(), {
    begun: ['a1', 'b1', 'nobody', 'a2', 'b2', 'a3', 'a4', 'ac', 'c'],
    refused: [],
  });
});

test('HOSTILE 60: where no more may wait, the latest turn goes, so that nobody fills the queue', async () => {
  const gate = busyGate(4);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) gate.come(name, 'a');
  gate.come('b1', 'b');
  gate.come('b2', 'b');
  gate.come('a6', 'a');
  gate.come('c1', 'c');
  gate.come('b3', 'b');
  assert.deepEqual(await gate.finish(), {
    begun: ['a1', 'b1', 'c1', 'a2'],
    refused: ['a5', 'a4', 'a3', 'a6', 'b2', 'b3'],
  });
});

test('HOSTILE 60: an owner that comes again and again has one turn among the others', async () => {
  const gate = createGate({ atOnce: 1, waiting: 10 });
  const begun: string[] = [];
  const owner = async (name: string): Promise<void> => {
    for (let time = 0; time < 3; time += 1) {
      await gate.pass(async () => begun.push(name), { owners: [name] });
    }
  };
  await Promise.all([gate.pass(() => Promise.resolve()), owner('a'), owner('b'), owner('c')]);
  assert.deepEqual(begun, ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c']);
});

test('a gate that is closed begins nothing, and what is under way ends', async () => {
  const gate = createGate({ atOnce: 1, waiting: 9 });
  const { work, end } = held();
  const under = gate.pass(work);
  const waiting = [gate.pass(work), gate.pass(work, { hangUp: new AbortController().signal })];
  const closed = new Error('closed');
  gate.close(closed);
  for (const one of [...waiting, gate.pass(work)]) await assert.rejects(one, closed);
  end('done');
  assert.equal(await under, 'done');
  await assert.rejects(gate.pass(work), closed);
});
