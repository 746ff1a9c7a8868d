// Owns tests of the thread that moves a server's log: its beginning, its end, and taking turns with it.

import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { LogCheckpoints } from '../../../../src/store/sqlite/commits/log_checkpoints.ts';
import { Transactions } from '../../../../src/store/sqlite/commits/transactions.ts';
import { openFile } from '../../../../src/store/sqlite/file/open.ts';
import { verifyFile } from '../../../../src/store/sqlite/file/read.ts';
import { openFileStore } from '../../../../src/store/sqlite/store.ts';
import { until } from '../../../support/until.ts';
import { runChild } from '../../children.ts';
import { withFile } from '../../file_directory.ts';
import { at, inParallel, loginNamed } from '../../fixtures.ts';
import { logOf, pagesOf } from '../../log_length.ts';
import { descriptorsOf, isMoved, reserve, serve, threadsIn } from '../../log_scene.ts';
import { findLogin } from '../../login.ts';

withFile('a server’s log is moved by a thread, which begins when it is needed', async (path) => {
  const server = serve(path);
  const none = await threadsIn(() => server.save(50));
  assert.equal(none.length, 0);
  const begun = await threadsIn(async () => {
    for (let cycle = 0; cycle < 5; cycle += 1) {
      await server.fill();
      await until(() => isMoved(server));
      // A next commit begins at the beginning again, once the thread has let go of the log.
      do await server.save(1);
      while (server.log.length().log >= 8);
    }
  });
  assert.equal(begun.length, 1);
  await server.end();
  assert.deepEqual(server.fatal, []);
});

withFile('a command’s log is moved by no thread', async (path) => {
  const store = openFileStore({ path, environment: 'staging' });
  const log = logOf(path);
  let saved = 0;
  let longest = 0;
  const begun = await threadsIn(async () => {
    const scope = 'x'.repeat(2000);
    const save = () => store.startLogin(loginNamed(`login ${saved++}`, { scope }));
    while (log.length().log >= longest) {
      longest = log.length().log;
      await inParallel(50, save);
    }
  });
  assert.ok(longest > 1000);
  assert.equal(begun.length, 0);
  log.close();
  await store.close();
});

withFile('closing folds the log in, whatever the thread is about', async (path) => {
  for (let round = 0; round < 10; round += 1) {
    const server = serve(path);
    const [thread] = await threadsIn(server.fill);
    assert.ok(thread);
    // Before it is up, at any point of its work, and after.
    await sleep(round * 8);
    if (round === 9) await until(() => isMoved(server));
    server.log.close();
    const queued = server.save(3);
    const closed = server.store.close();
    await queued;
    await assert.rejects(server.save(1), /closed/);
    await closed;
    await server.store.close();
    assert.deepEqual(descriptorsOf(path), []);
    assert.deepEqual(readdirSync(dirname(path)).toSorted(), ['jetway.db', 'jetway.db-reserve']);
    assert.deepEqual(server.fatal, []);
  }
  assert.deepEqual((await verifyFile(path)).damage, []);
});

withFile('a thread that dies is replaced without an outage', async (path) => {
  const server = serve(path);
  for (let round = 0; round < 3; round += 1) {
    const [thread] = await threadsIn(server.fill);
    assert.ok(thread);
    // While there is something for it to do, and while there is not.
    if (round === 1) await until(() => isMoved(server));
    await thread.terminate();
    await until(() => isMoved(server));
  }
  await server.end();
  assert.deepEqual(server.fatal, []);
});

withFile('a fold takes its turn with the thread', async (path) => {
  const file = openFile(path, 'staging', at(0));
  const { database } = file;
  const failures: unknown[] = [];
  const transactions = new Transactions(database, []);
  const failed = (error: unknown): void => void failures.push(error);
  const log = new LogCheckpoints(database, transactions, { path, reserve, failed });
  database.exec('CREATE TABLE filler (text TEXT)');
  const insert = database.prepare('INSERT INTO filler VALUES (zeroblob(?))');
  const length = logOf(path);
  for (let round = 0; round < 30; round += 1) {
    transactions.settle([() => insert.run((pagesOf(reserve) / 2 + 8) * 4096)]);
    await sleep(1);
    log.afterCommit();
    // Before it has begun, and at any point of what it does.
    await sleep(round % 10);
    log.fold();
    assert.deepEqual(length.length(), { log: 0, checkpointed: 0 });
    assert.equal(statSync(`${path}-wal`).size, 0);
  }
  assert.deepEqual(failures, []);
  length.close();
  log.pause();
  await log.end();
  file.close();
});

withFile('FAULTS 7: the thread does not write to a file that replaced the store', async (path) => {
  await openFileStore({ path: `${path}.other`, environment: 'staging' }).close();
  copyFileSync(`${path}.other`, `${path}.copy`);
  const server = serve(path);
  await server.save(1);
  renameSync(`${path}.copy`, path);
  assert.equal((await threadsIn(server.fill)).length, 1);
  // The store's own connection has the old file still.
  await until(() => isMoved(server));
  assert.deepEqual(readFileSync(path), readFileSync(`${path}.other`));
  assert.equal(server.store.health().status, 'unusable');
  await server.end();
});

withFile('a process ends by itself, thread or none', async (path) => {
  const { code, stdout } = await runChild(['fill', path, 'exit']);
  assert.equal(code, 0);
  assert.equal(stdout, 'written\nready\n');
  const store = openFileStore({ path, environment: 'staging' });
  assert.ok(await findLogin(store, loginNamed('token 0')));
  await store.close();
});
