// Owns tests of moving the log into the file: what it must not disturb, and what its failures mean.

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { verifyFile } from '../../../../src/store/sqlite/file/read.ts';
import { openFileStore } from '../../../../src/store/sqlite/store.ts';
import { without } from '../../../support/tools.ts';
import { traced } from '../../children.ts';
import { withFile } from '../../file_directory.ts';
import { aClient, club, inParallel, partner } from '../../fixtures.ts';
import { pagesOf } from '../../log_length.ts';
import { serve, threadsIn } from '../../log_scene.ts';

withFile(
  'FAULTS 3: the thread synchronises the log before the file, and the file before it tells',
  async (path) => {
    await openFileStore({ path, environment: 'staging' }).close();
    const watch = ['-e', 'trace=pwrite64,fdatasync,fsync,write'];
    const { calls, stdout, code } = await traced(watch, 'fill', path);
    assert.equal(stdout, 'written\nready\n');
    assert.equal(code, 0);
    const from = calls.findIndex((call) => /pwrite64\(\d+<[^>]*jetway\.db>/.test(call));
    const to = calls.findIndex((call) => call.includes('"ready'));
    const [main] = calls.find((call) => call.includes('"written'))?.split(' ') ?? [];
    const [thread] = calls[from]?.split(' ') ?? [];
    assert.notEqual(thread, main);
    // Of a thread that was interrupted the second half of the line has no name of a file.
    const its = calls.slice(0, to).filter((call) => call.startsWith(`${thread} `));
    const seen = its.flatMap((call) => {
      const sync = /f(?:data)?sync\(\d+<[^>]*jetway\.db(-wal)?>/.exec(call);
      if (sync !== null) return sync[1] === undefined ? 'sync file' : 'sync log';
      return /pwrite64\(\d+<[^>]*jetway\.db>/.test(call) ? 'write file' : [];
    });
    const steps = seen.filter((step, n) => step !== seen[n - 1]);
    assert.deepEqual(steps, ['sync log', 'write file', 'sync file']);
  },
  without('strace'),
);

withFile(
  'FAULTS 5: a synchronisation that fails in the thread ends the store; nothing is tried again',
  async (path) => {
    await openFileStore({ path, environment: 'staging' }).close();
    const inject = 'inject=fdatasync,fsync:error=EIO';
    const fail = ['-P', path, '-e', 'trace=pwrite64,fdatasync,fsync', '-e', inject];
    const { calls, stdout } = await traced(fail, 'fill', path, 'exit');
    assert.equal(stdout, 'written\nfatal store: SQLITE_IOERR\nunusable\n');
    const failed = calls.findIndex((call) => call.includes('EIO'));
    const [thread] = calls[failed]?.split(' ') ?? [];
    const after = calls.slice(failed + 1).filter((call) => call.startsWith(`${thread} `));
    assert.deepEqual(
      after.filter((call) => !call.includes('+++')),
      [],
    );
    assert.deepEqual((await verifyFile(path)).damage, []);
  },
  without('strace'),
);

withFile('what is remembered of rows stands while the log is moved', async (path) => {
  const server = serve(path, 128 * 1024);
  const { store } = server;
  await store.add('client', [aClient()]);
  const first = await store.find('client', club, partner);
  for (let cycle = 0; cycle < 10; cycle += 1) {
    await server.turnOver();
    assert.equal(await store.find('client', club, partner), first);
  }
  await server.end();
});

withFile('FAULTS 4: a log begins again however much is written meanwhile', async (path) => {
  const server = serve(path, 256 * 1024);
  let written = 0;
  let last = 0;
  const begun = await threadsIn(async () => {
    while (written < 4000) {
      await inParallel(8, () => server.save(1));
      const { log, checkpointed } = server.log.length();
      written += log > last ? log - last : log;
      last = log;
      // Whatever the thread does: the reserve can take what waits.
      const waiting = log - checkpointed;
      assert.ok(waiting < 4 * pagesOf(256 * 1024), `${waiting} pages wait`);
    }
  });
  assert.equal(begun.length, 1);
  const longest = (statSync(`${path}-wal`).size - 32) / (4096 + 24);
  assert.ok(longest < 1000, `${longest} pages`);
  await server.end();
});

withFile('nothing waits for a long reader, and no page is lost', async (path) => {
  const server = serve(path, 256 * 1024);
  await server.save(10);
  const reader = new DatabaseSync(path);
  reader.exec('BEGIN');
  const count = () => Number(reader.prepare('SELECT count(*) AS n FROM login').get()?.['n']);
  assert.equal(count(), 10);
  for (let n = 0; n < 100; n += 1) await server.save(2);
  assert.equal(count(), 10);
  reader.exec('COMMIT');
  assert.equal(count(), 210);
  reader.close();
  await server.turnOver();
  await server.end();
  assert.deepEqual((await verifyFile(path)).damage, []);
});
