// Owns tests of the file store with real processes: two on one file, and one killed while it writes.

import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import type { RotateOutcome, SpendOutcome } from '../../src/store/contract.ts';
import { openFileStore } from '../../src/store/file.ts';
import type { Task } from './contender.ts';
import { scratchFile } from './file_directory.ts';
import {
  aCode,
  aFamily,
  aRefreshToken,
  at,
  club,
  inParallel,
  key,
  partner,
  tally,
} from './fixtures.ts';

interface Contender {
  readonly child: ChildProcess;
  readonly ask: (task: Task) => Promise<unknown>;
}

async function start(path: string, name: string): Promise<Contender> {
  const script = new URL('./contender.ts', import.meta.url);
  const child = fork(script, [path, name], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
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

withProcesses('FAULTS 9: processes that make the same file make one', async (path, contenders) => {
  const opened = await Promise.all(contenders.map(({ ask }) => ask('open')));
  assert.deepEqual(opened, ['opened', 'opened']);
  const store = openFileStore({ path, environment: 'staging' });
  await store.close();
});

withProcesses('HOSTILE 26: 50 spends by two processes, one winner', async (path, contenders) => {
  const store = openFileStore({ path, environment: 'staging' });
  await Promise.all(contenders.map(({ ask }) => ask('open')));
  await store.issueCode(aCode());
  const answers = await Promise.all(contenders.map(({ ask }) => ask('spend')));
  const results = answers.flat() as SpendOutcome[];
  assert.deepEqual(tally(results), { spent: 1, replayed: 49 });
  const families = results.flatMap((result) =>
    result.outcome === 'replayed' ? result.family : [],
  );
  assert.equal(new Set(families).size, 1);
  await store.close();
});

withProcesses(
  'HOSTILE 29: 20 rotations by two processes, one lineage',
  async (path, contenders) => {
    const store = openFileStore({ path, environment: 'staging' });
    await Promise.all(contenders.map(({ ask }) => ask('open')));
    await store.issueCode(aCode());
    const bought = { family: aFamily(), refresh: aRefreshToken('r1') };
    await store.spendCode(club, partner, key('code'), bought, at(0));
    const answers = await Promise.all(contenders.map(({ ask }) => ask('rotate')));
    const results = answers.flat() as RotateOutcome[];
    assert.deepEqual(tally(results), { rotated: 1, retried: 19 });
    const sealed = results.flatMap((result) =>
      result.outcome === 'retried' ? result.sealedAnswer : [],
    );
    assert.equal(new Set(sealed).size, 1);
    const successors = ['a', 'b'].map((name) =>
      inParallel(10, (n) => store.findRefreshToken(club, key(`s ${name} ${n}`), at(1))),
    );
    const found = (await Promise.all(successors)).flat().flatMap((state) => state?.key ?? []);
    assert.equal(found.length, 1);
    assert.equal(sealed[0], `answer with ${found[0]}`);
    await store.close();
  },
);

withProcesses('FAULTS 1: what was acknowledged survives kill -9', async (path, contenders) => {
  for (const { child, ask } of contenders) {
    let told = '';
    const enough = new Promise<void>((resolve) => {
      child.stdout?.on('data', (chunk: Buffer) => {
        told += chunk.toString();
        if (told.length > 20_000) resolve();
      });
    });
    void ask('write').catch(() => undefined);
    await enough;
    child.kill('SIGKILL');
    await once(child, 'close');
    const store = openFileStore({ path, environment: 'staging' });
    // The last line may have been cut off in the middle.
    const acknowledged = told.slice(0, told.lastIndexOf('\n')).split('\n');
    assert.ok(acknowledged.length > 1000);
    for (const token of acknowledged) {
      assert.ok(await store.findAccessToken(club, key(token), at(0)), `${token} is lost`);
    }
    await store.close();
    const database = new DatabaseSync(path);
    const checked = database.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
    database.close();
    assert.equal(checked, 'ok');
  }
});
