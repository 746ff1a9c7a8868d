// FAULTS 23: how much of which work a turn begins, and what is refused.

import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

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
    now: () => time,
    add: (kind: WorkKind, count: number, address?: string) => {
      for (let added = 0; added < count; added += 1) admission.begin(kind, work(kind), address);
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
  assert.deepEqual(turns.map(counts), [{ token: 129 }, { token: 129 }, { token: 92 }]);
});

test('kinds that wait share a turn by weight; what one leaves is for the others', async () => {
  const { add, pass, turns } = openAdmission();
  add('token', 1000);
  add('verify', 1000);
  add('login', 1000);
  add('other', 1000);
  await pass(1);
  // Of 256: a third, a third, two ninths and a ninth; all but verify cost 2.
  assert.deepEqual(counts(turns[0]), { verify: 90, token: 45, login: 30, other: 15 });

  const flooded = openAdmission();
  flooded.add('token', 1000);
  flooded.add('verify', 20);
  flooded.add('login', 5);
  await flooded.pass(1);
  assert.deepEqual(counts(flooded.turns[0]), { verify: 20, token: 114, login: 5 });
});

/** Adds requests of an address as long as they are admitted; returns their number. */
function fill(
  { admission, add }: ReturnType<typeof openAdmission>,
  kind: WorkKind,
  address = '192.0.2.1',
): number {
  let added = 0;
  for (; ; added += 1) {
    const whose = admission.admits(kind, () => address);
    if (whose === undefined) return added;
    add(kind, 1, whose);
  }
}

test('a burst may wait for half a second, and no more of its address until few wait', async () => {
  const opened = openAdmission();
  assert.equal(fill(opened, 'token'), 5000);
  // More than 8 ms.
  await opened.pass(3);
  assert.equal(fill(opened, 'token'), 0);
  await opened.pass(35);
  assert.equal(fill(opened, 'token'), 100 - (5000 - 38 * 129));
  // Another kind has a line of its own.
  assert.equal(fill(opened, 'verify'), 10_000);
  await opened.pass();
  assert.equal(fill(opened, 'token'), 5000);
});

test('FAULTS 23: where work takes longer than usual, no more is admitted than a few turns begin', async () => {
  const opened = openAdmission(0.5);
  // As fast as half of it is begun.
  let most = 0;
  for (let round = 0; round < 20; round += 1) {
    for (let asked = 0; asked < 400; asked += 1) {
      const whose = opened.admission.admits('token', () => '192.0.2.1');
      if (whose !== undefined) opened.add('token', 1, whose);
    }
    most = Math.max(most, opened.admission.lineOf('token').length);
    await opened.pass(1);
  }
  assert.ok(most <= 600, `${most}`);
});

test('one address that floods a kind takes no other one’s turn', async () => {
  const opened = openAdmission();
  fill(opened, 'token');
  await opened.pass(3);
  assert.equal(fill(opened, 'token'), 0);
  const whose = opened.admission.admits('token', () => '192.0.2.2');
  assert.equal(whose, '192.0.2.2');
  let begunAfter = -1;
  opened.admission.begin('token', () => (begunAfter = opened.turns.length), whose);
  await opened.pass(1);
  assert.equal(begunAfter, 4);
});

test('many addresses that flood a kind have room for half a second more, and no further', async () => {
  const opened = openAdmission();
  fill(opened, 'token');
  await opened.pass(3);
  const { length } = opened.admission.lineOf('token');
  let added = 0;
  for (; added < 20_000; added += 1) {
    const whose = opened.admission.admits('token', () => `address ${added}`);
    if (whose === undefined) break;
    opened.add('token', 1, whose);
  }
  assert.equal(added, 10_000 - length);
});

/** A request that is refused; `finish` lets its answer leave. */
function refused(refuse: (incoming: IncomingMessage, outgoing: ServerResponse) => number) {
  const socket = new Socket();
  const incoming = new IncomingMessage(socket);
  const outgoing = new ServerResponse(incoming);
  outgoing.shouldKeepAlive = true;
  const retryAfter = refuse(incoming, outgoing);
  return { retryAfter, socket, finish: () => outgoing.emit('finish') };
}

test('refusals say one second while they are few', () => {
  const { admission, idle } = openAdmission();
  const told = Array.from({ length: 100 }, () => {
    idle(1001);
    return refused((...exchange) => admission.refuse('token', ...exchange));
  });
  assert.deepEqual([...new Set(told.map(({ retryAfter }) => retryAfter))], [1]);
});

test('FAULTS 23: a refused connection is read again before it was told to send again, a shared one within a second', async (t) => {
  const { admission, idle, now } = openAdmission();
  let isOver = false;
  // Something always waits: no connection is read again for want of work.
  const another = (): void => {
    if (!isOver) admission.begin('other', another);
  };
  another();
  const all = Array.from({ length: 2000 }, (_, index) => {
    const isShared = index % 2 === 0;
    const one = refused((...exchange) => admission.refuse('token', ...exchange, isShared));
    return { ...one, isShared };
  });
  assert.ok(all.some(({ retryAfter }) => retryAfter > 2));
  await setImmediate();
  for (const { finish } of all) finish();
  t.after(() => (isOver = true));
  for (const seconds of [0, 1, 2, 3, 4, 5]) {
    idle(seconds === 0 ? 0 : seconds * 1000 - 50 - now());
    await sleep(60);
    for (const { retryAfter, isShared, socket } of all) {
      assert.equal(socket.isPaused(), seconds < (isShared ? 1 : retryAfter));
    }
  }
});

test('FAULTS 23: a server that has become idle reads refused connections again before their time', async () => {
  const { admission } = openAdmission();
  const all = Array.from({ length: 40 }, () =>
    refused((...exchange) => admission.refuse('token', ...exchange)),
  );
  // To read on, a request resumes its socket once: that must be over.
  await setImmediate();
  for (const { finish } of all) finish();
  await setImmediate();
  assert.ok(all.every(({ socket }) => socket.isPaused()));
  // The admission's clock stands still.
  while (all.some(({ socket }) => socket.isPaused())) await sleep(20);
});
