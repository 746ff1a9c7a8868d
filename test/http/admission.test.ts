// FAULTS 23: how much of which work a turn begins, and what is refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { Admission } from '../../src/http/admission.ts';
import type { WorkKind } from '../../src/http/waiting_line.ts';

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
    idle: (milliseconds: number) => {
      time += milliseconds;
    },
    /** Until so many turns have passed, or all work is begun. */
    pass: async (count = Infinity) => {
      const until = turns.length + count;
      while (turns.length < until && turns.flat().length < begun) {
        await setImmediate();
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

test('more than a turn may cost takes several turns', async () => {
  const { add, pass, turns } = openAdmission();
  add('token', 350);
  await pass();
  assert.deepEqual(turns.map(counts), [{ token: 128 }, { token: 128 }, { token: 94 }]);
});

test('kinds that wait share a turn by weight; what one leaves is for the others', async () => {
  const { add, pass, turns } = openAdmission();
  add('token', 1000);
  add('verify', 1000);
  add('login', 1000);
  add('other', 1000);
  await pass(1);
  // Of 256: a third, a third, two ninths and a ninth; all but verify cost 2.
  assert.deepEqual(counts(turns[0]), { verify: 85, token: 42, login: 28, other: 14 });

  const flooded = openAdmission();
  flooded.add('token', 1000);
  flooded.add('verify', 20);
  flooded.add('login', 5);
  await flooded.pass(1);
  assert.deepEqual(counts(flooded.turns[0]), { verify: 20, token: 113, login: 5 });
});

/** Adds requests of a kind as long as they are admitted; returns their number. */
function fill({ admission, add }: ReturnType<typeof openAdmission>, kind: WorkKind): number {
  let added = 0;
  for (; admission.admits(kind); added += 1) add(kind, 1);
  return added;
}

test('a burst may wait for half a second, a standing line has room for one more turn', async () => {
  const opened = openAdmission();
  assert.equal(fill(opened, 'token'), 5000);
  // More than 100 ms: what was admitted is begun, and no more is until few wait.
  await opened.pass(12);
  assert.equal(fill(opened, 'token'), 0);
  await opened.pass(26);
  assert.equal(fill(opened, 'token'), 0);
  await opened.pass(1);
  assert.equal(fill(opened, 'token'), 120);
  // Another kind has not waited: it may, as long as its share allows.
  assert.equal(Math.round(fill(opened, 'verify') / 10), 500);
  await opened.pass();
  assert.equal(fill(opened, 'token'), 128);
  await opened.pass();
  opened.idle(1001);
  assert.equal(Math.round(fill(opened, 'token') / 10), 500);
});

test('where work takes longer than usual, less of it may wait', async () => {
  const opened = openAdmission(0.5);
  assert.equal(fill(opened, 'token'), 5000);
  await opened.pass(30);
  assert.equal(Math.round(fill(opened, 'verify') / 10), 50);
});

test('one turn in which the machine stands still does not have the next burst refused', async () => {
  const opened = openAdmission();
  opened.add('token', 150);
  opened.admission.begin('token', () => opened.idle(5000));
  opened.add('token', 150);
  await opened.pass();
  opened.idle(1001);
  assert.ok(fill(opened, 'token') > 2000);
});

test('how long work took is forgotten, also where little work comes after it', async () => {
  const opened = openAdmission();
  for (let begun = 0; begun < 2560; begun += 1) {
    opened.admission.begin('token', () => opened.idle(20));
  }
  opened.add('token', 1);
  await opened.pass();
  for (const room of [128, 128, 128]) {
    opened.idle(1001);
    assert.equal(fill(opened, 'token'), room);
    await opened.pass();
  }
  opened.idle(7000);
  assert.equal(fill(opened, 'token'), 5000);
});

test('refusals say one second while they are few', () => {
  const { admission } = openAdmission();
  const told = Array.from({ length: 100 }, () => admission.retryAfter());
  assert.deepEqual([...new Set(told)], [1]);
});
