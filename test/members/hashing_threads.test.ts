// Tests of the threads that hash passwords: real ones, that stand back, die, and come to an end.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { type TestContext, test } from 'node:test';
import type { Worker } from 'node:worker_threads';

import { createHashingThreads, type HashingThreads } from '../../src/members/hashing_threads.ts';
import type { HashingTask } from '../../src/members/hashing_worker.ts';
import { Unavailable } from '../../src/oauth/failure.ts';

const long = 3_600_000;
const hash = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
const right: HashingTask = { verb: 'check', password: 'U*U', hash };
const wrong: HashingTask = { verb: 'check', password: 'U*V', hash };

/** Threads of a test's own, and the workers that they come to be. */
function openThreads(
  t: TestContext,
  patience = long,
): {
  readonly inThread: HashingThreads['run'];
  readonly end: () => void;
  readonly workers: readonly Worker[];
} {
  const workers: Worker[] = [];
  const note = (worker: Worker): void => void workers.push(worker);
  process.on('worker', note);
  t.after(async () => {
    process.off('worker', note);
    await Promise.all(workers.map((worker) => worker.terminate()));
  });
  const { run: inThread, end } = createHashingThreads(patience);
  return { inThread, end, workers };
}

/** The first, which must be there. */
function firstOf(workers: readonly Worker[]): Worker {
  const [worker] = workers;
  assert.ok(worker);
  return worker;
}

/** None where the thread has ended meanwhile. */
function priorityOf(thread: string): readonly number[] {
  try {
    return [getPriority(Number(thread))];
  } catch {
    return [];
  }
}

test('one thread does for tasks in turn, and each of several at once has its own', async (t) => {
  const { inThread, workers } = openThreads(t);
  assert.equal(workers.length, 0);
  assert.deepEqual([await inThread(right), await inThread(wrong)], [true, false]);
  assert.equal(workers.length, 1);
  assert.deepEqual(await Promise.all([wrong, right, right].map(inThread)), [false, true, true]);
  assert.equal(workers.length, 3);
  assert.deepEqual(await Promise.all([right, wrong].map(inThread)), [true, false]);
  assert.equal(workers.length, 3);
});

test(
  'FAULTS 22: on Linux a hash has a lower priority than everything else in the process',
  { skip: process.platform !== 'linux' || getPriority() > 14 },
  async (t) => {
    const { inThread } = openThreads(t);
    await Promise.all([right, right].map(inThread));
    const own = getPriority();
    const priorities = readdirSync('/proc/self/task').flatMap(priorityOf);
    assert.equal(priorities.filter((priority) => priority === own + 5).length, 2);
    assert.deepEqual(new Set(priorities), new Set([own, own + 5]));
  },
);

test('a thread that dies fails what it has, and nothing else; the next task gets another', async (t) => {
  const { inThread, workers } = openThreads(t);
  await inThread(right);
  // Long enough for the thread to be ended in the middle of it.
  const slow = { ...right, hash: hash.replace('$05$', '$14$') };
  const doomed = assert.rejects(inThread(slow), Unavailable);
  const beside = inThread(wrong);
  void firstOf(workers).terminate();
  await doomed;
  assert.deepEqual([await beside, await inThread(right), workers.length], [false, true, 2]);
});

test('threads that are ended tell at once who waits for them, whatever they are about', async (t) => {
  const { inThread, end, workers } = openThreads(t);
  await Promise.all([right, right].map(inThread));
  const doomed = assert.rejects(
    inThread({ ...right, hash: hash.replace('$05$', '$14$') }),
    Unavailable,
  );
  end();
  await Promise.all([doomed, ...workers.map((worker) => once(worker, 'exit'))]);
  assert.deepEqual([await inThread(right), workers.length], [true, 3]);
});

test('a thread that dies at rest is replaced', async (t) => {
  const { inThread, workers } = openThreads(t);
  await inThread(right);
  await firstOf(workers).terminate();
  assert.deepEqual([await inThread(right), workers.length], [true, 2]);
});

test('a thread that cannot start is an outage, and the next may', async (t) => {
  const { inThread } = openThreads(t);
  const stopAtOnce = (worker: Worker): void => void worker.terminate();
  process.on('worker', stopAtOnce);
  await assert.rejects(inThread(right), Unavailable);
  process.off('worker', stopAtOnce);
  assert.equal(await inThread(right), true);
});

test('a thread with nothing to do ends after a while', async (t) => {
  const { inThread, workers } = openThreads(t, 1);
  await inThread(right);
  await once(firstOf(workers), 'exit');
  assert.deepEqual([await inThread(wrong), workers.length], [false, 2]);
});

test('what goes wrong in a thread is an outage that names no password, and the thread goes on', async (t) => {
  const { inThread, workers } = openThreads(t);
  const password = 'hunter2hunter2';
  const troubles: readonly (readonly [HashingTask, string])[] = [
    [{ verb: 'make', password, cost: { memory: 1, passes: 1 } }, 'ERR_OUT_OF_RANGE'],
    [{ verb: 'check', password, hash: 'none' }, 'Error'],
    [{ ...right, password: [password] as unknown as string }, 'Error'],
  ];
  for (const [task, name] of troubles) {
    await assert.rejects(
      inThread(task),
      (error) =>
        error instanceof Unavailable && error.message === `hashing a password failed (${name})`,
    );
  }
  assert.deepEqual([await inThread(right), workers.length], [true, 1]);
});
