// Owns tests of the file store with real processes: two on one file, and one killed while it writes.

import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';

import type { LoginAttempt } from '../../src/store/counters.ts';
import type { SpendOutcome } from '../../src/store/grants.ts';
import { verifyFile } from '../../src/store/sqlite/file/read.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import type { Task } from './contender.ts';
import { killedWriter } from './crashed.ts';
import { scratchFile } from './file_directory.ts';
import { aCode, club, inParallel, key, loginNamed, tally } from './fixtures.ts';
import { findLogin, type Refreshed } from './login.ts';

/** How many files, codes or logins two processes fight over, one after another. */
const rounds = 20;

interface Contender {
  readonly child: ChildProcess;
  readonly ask: (task: Task) => Promise<unknown>;
}

async function start(path: string, name: string): Promise<Contender> {
  const script = new URL('./contender.ts', import.meta.url);
  const child = fork(script, [path, name, String(rounds)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  const ask = async (task: Task): Promise<unknown> => {
    const answer = once(child, 'message');
    child.send(task);
    const [result] = (await answer) as [unknown];
    return result;
  };
  return { child, ask };
}

/** Runs `body` with a file and processes that share it; ends them all. */
function withProcesses(
  name: string,
  body: (path: string, contenders: readonly Contender[]) => Promise<void>,
): void {
  test(name, async () => {
    const { path, remove } = scratchFile();
    const contenders = await Promise.all(['a', 'b'].map((process) => start(path, process)));
    try {
      await body(path, contenders);
    } finally {
      for (const { child } of contenders) child.kill('SIGKILL');
      remove();
    }
  });
}

/** What all processes got, for each round. */
async function fight<T>(contenders: readonly Contender[], task: Task): Promise<T[][]> {
  const answers = (await Promise.all(contenders.map(({ ask }) => ask(task)))) as T[][][];
  return Array.from({ length: rounds }, (_, round) => answers.flatMap((answer) => answer[round]!));
}

withProcesses('FAULTS 9: processes that make the same file share one', async (path, contenders) => {
  mkdirSync(dirname(path));
  const made = await Promise.all(contenders.map(({ ask }) => ask('make')));
  assert.deepEqual(made, ['made', 'made']);
  for (let round = 0; round < rounds; round += 1) {
    const store = openFileStore({ path: `${path}.${round}`, environment: 'staging' });
    const ids = (await store.list('client', club)).map(({ id }) => id);
    assert.deepEqual(ids.toSorted(), ['a', 'b']);
    await store.close();
  }
});

withProcesses('HOSTILE 26: of spends by two processes one wins', async (path, contenders) => {
  const store = openFileStore({ path, environment: 'staging' });
  await inParallel(rounds, (n) =>
    store.issueCode(aCode({ key: key(`code ${n}`), transaction: `login ${n}` })),
  );
  await Promise.all(contenders.map(({ ask }) => ask('open')));
  for (const results of await fight<SpendOutcome>(contenders, 'spend')) {
    assert.deepEqual(tally(results), { spent: 1, replayed: 9 });
    const places = results.flatMap((each) => (each.outcome === 'replayed' ? each.place : []));
    assert.equal(new Set(places).size, 1);
  }
  await store.close();
});

withProcesses('HOSTILE 29: refreshes by two processes get one answer', async (path, contenders) => {
  const store = openFileStore({ path, environment: 'staging' });
  await inParallel(rounds, (n) => store.startLogin(loginNamed(`login ${n}`)));
  await Promise.all(contenders.map(({ ask }) => ask('open')));
  const outcomes = await fight<Refreshed>(contenders, 'refresh');
  for (const [round, results] of outcomes.entries()) {
    assert.deepEqual(tally(results), { rotate: 1, retry: 9 });
    const state = await findLogin(store, loginNamed(`login ${round}`));
    assert.equal(state?.generation, 2);
    for (const result of results) assert.deepEqual(result.state, state);
  }
  await store.close();
});

withProcesses('HOSTILE 18: two processes have one count', async (path, contenders) => {
  await openFileStore({ path, environment: 'staging' }).close();
  await Promise.all(contenders.map(({ ask }) => ask('open')));
  for (const results of await fight<LoginAttempt>(contenders, 'guess')) {
    assert.deepEqual(results.filter(({ allowed }) => allowed).length, 5);
  }
});

test('FAULTS 1: what was acknowledged survives kill -9', async () => {
  const { path, remove } = scratchFile();
  try {
    for (let round = 0; round < 2; round += 1) {
      const acknowledged = await killedWriter(path, 20_000);
      assert.ok(acknowledged.length > 1000);
      const store = openFileStore({ path, environment: 'staging' });
      for (const name of acknowledged) {
        assert.ok(await findLogin(store, loginNamed(name)), `${name} is lost`);
      }
      await store.close();
      assert.deepEqual((await verifyFile(path)).damage, []);
    }
  } finally {
    remove();
  }
});
