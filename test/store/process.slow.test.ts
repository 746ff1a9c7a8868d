// Owns tests of the file store with real processes: two on one file, and one killed while it writes.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';

import type { LoginAttempt } from '../../src/store/counters.ts';
import type { SpendOutcome } from '../../src/store/grants.ts';
import { verifyFile } from '../../src/store/sqlite/file/read.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { rounds, type Verb } from './child.ts';
import { type Child, killedWriter, startChild } from './children.ts';
import { scratchFile } from './file_directory.ts';
import { aCode, club, inParallel, key, loginNamed, tally } from './fixtures.ts';
import { findLogin, type Refreshed } from './login.ts';

/** Runs `body` with a file and processes that share it; ends them all. */
function withProcesses(
  name: string,
  body: (path: string, contenders: readonly Child[]) => Promise<void>,
): void {
  test(name, async () => {
    const { path, remove } = scratchFile();
    const contenders = await Promise.all([startChild(), startChild()]);
    try {
      await body(path, contenders);
    } finally {
      await Promise.all(contenders.map(({ kill }) => kill()));
      remove();
    }
  });
}

/** Has all processes do it at once; what each got. */
async function askEach(path: string, contenders: readonly Child[], verb: Verb): Promise<unknown[]> {
  return Promise.all(contenders.map(({ ask }, n) => ask(verb, path, ['a', 'b'][n] ?? '')));
}

/** What all processes got, for each round. */
async function fight<T>(path: string, contenders: readonly Child[], verb: Verb): Promise<T[][]> {
  await askEach(path, contenders, 'open');
  const answers = (await askEach(path, contenders, verb)) as T[][][];
  return Array.from({ length: rounds }, (_, round) => answers.flatMap((answer) => answer[round]!));
}

withProcesses('FAULTS 9: processes that make the same file share one', async (path, contenders) => {
  mkdirSync(dirname(path));
  const made = await askEach(path, contenders, 'make');
  assert.ok(made.every(Array.isArray), made.join());
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
  for (const results of await fight<SpendOutcome>(path, contenders, 'spend')) {
    assert.deepEqual(tally(results), { spent: 1, replayed: 9 });
    const places = results.flatMap((each) => (each.outcome === 'replayed' ? each.place : []));
    assert.equal(new Set(places).size, 1);
  }
  await store.close();
});

withProcesses('HOSTILE 29: refreshes by two processes get one answer', async (path, contenders) => {
  const store = openFileStore({ path, environment: 'staging' });
  await inParallel(rounds, (n) => store.startLogin(loginNamed(`login ${n}`)));
  const outcomes = await fight<Refreshed>(path, contenders, 'refresh');
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
  for (const results of await fight<LoginAttempt>(path, contenders, 'guess')) {
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
