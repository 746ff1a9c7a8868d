// FAULTS 23: how much of which work a turn begins, and what is refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Admission, type WorkKind } from '../../src/http/admission.ts';

/** An admission whose clock goes on by the time that work takes: so much for a cost of 1. */
function openAdmission(pace = 0.05) {
  const costs: Readonly<Record<WorkKind, number>> = { verify: 1, token: 2, login: 2, other: 2 };
  let time = 0;
  const admission = new Admission(() => time);
  /** What each turn began. */
  const turns: WorkKind[][] = [];
  let turn: WorkKind[] | undefined;
  const work = (kind: WorkKind) => () => {
    time += costs[kind] * pace;
    if (turn === undefined) {
      turns.push((turn = []));
      queueMicrotask(() => (turn = undefined));
    }
    turn.push(kind);
  };
  let begun = 0;
  return {
    admission,
    turns,
    add: (kind: WorkKind, count: number) => {
      for (let added = 0; added < count; added += 1) admission.begin(kind, work(kind));
      begun += count;
    },
    /** Until so many turns have passed, or all work is begun. */
    pass: async (count = Infinity) => {
      const until = turns.length + count;
      while (turns.length < until && turns.flat().length < begun) {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
    },
  };
}

function counts(turn: readonly WorkKind[] = []): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...new Set(turn)].map((kind) => [kind, turn.filter((one) => one === kind).length]),
  );
}

test('all that has been read is begun in one turn, gateways first', async () => {
  const { add, pass, turns } = openAdmission();
  add('login', 1);
  add('token', 2);
  add('verify', 1);
  await pass();
  assert.deepEqual(turns, [['verify', 'token', 'token', 'login']]);
});

test('more than ten milliseconds of work take several turns', async () => {
  const { add, pass, turns } = openAdmission();
  add('token', 350);
  await pass();
  assert.deepEqual(turns.map(counts), [
    { token: 100 },
    { token: 100 },
    { token: 100 },
    { token: 50 },
  ]);
});

test('a turn is measured: where work takes longer than usual, fewer are begun', async () => {
  const { add, pass, turns } = openAdmission(0.1);
  add('token', 2000);
  await pass();
  assert.deepEqual(counts(turns[0]), { token: 100 });
  // Ten milliseconds, and two for each request.
  assert.deepEqual(counts(turns.at(-2)), { token: 50 });
});

test('where a commit takes long, a turn begins enough to share it', async () => {
  const { add, pass, turns } = openAdmission(30);
  add('token', 1000);
  await pass();
  assert.deepEqual(counts(turns.at(-2)), { token: 32 });
});

test('kinds that wait share a turn by weight; what one leaves is for the others', async () => {
  const { add, pass, turns } = openAdmission();
  add('token', 1000);
  add('verify', 1000);
  add('login', 1000);
  add('other', 1000);
  await pass(1);
  // Of 200: a third, a third, two ninths and a ninth; all but verify cost 2.
  assert.deepEqual(counts(turns[0]), { verify: 66, token: 33, login: 22, other: 11 });

  const flooded = openAdmission();
  flooded.add('token', 1000);
  flooded.add('verify', 20);
  flooded.add('login', 5);
  await flooded.pass(1);
  assert.deepEqual(counts(flooded.turns[0]), { verify: 20, token: 85, login: 5 });
});

test('a burst may wait for half a second, what stands in line for 25 ms', async () => {
  const { admission, add, pass } = openAdmission();
  const fill = (kind: WorkKind): number => {
    let added = 0;
    for (; admission.admits(kind); added += 1) add(kind, 1);
    return added;
  };
  assert.equal(fill('token'), 5000);
  await pass(12);
  // More than 100 ms: what was admitted is begun, and no more is until few wait.
  assert.equal(fill('token'), 0);
  await pass(35);
  assert.equal(fill('token'), 0);
  await pass(1);
  assert.ok(fill('token') > 0);
  // Another kind has not waited.
  assert.ok(fill('verify') > 1000);
  await pass();
  assert.equal(Math.round(fill('token') / 10), 500);
});

test('refusals say one second while they are few, and up to five seconds at random', () => {
  const { admission } = openAdmission();
  const told = Array.from({ length: 100 }, () => admission.retryAfter());
  assert.deepEqual([...new Set(told)], [1]);
});
