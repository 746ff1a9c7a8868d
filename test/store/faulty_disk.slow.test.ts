// FAULTS 5: whatever fails of a disk, and whenever, is told, and then nothing more is written: the
// log stays as it is for another start, which finds all that was answered.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { verifyFile } from '../../src/store/sqlite/file/read.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { without } from '../support/tools.ts';
import { runChild } from './children.ts';
import { type FaultyDisk, faultyDisk } from './faulty_disk.ts';
import { withFile } from './file_directory.ts';
import { loginNamed } from './fixtures.ts';
import { findLogin } from './login.ts';

interface Closed {
  readonly said: readonly string[];
  /** What was done to the store after the call that failed. */
  readonly after: readonly string[];
}

/** Closes a store on a faulty disk; `meanwhile` is called with every line that it says. */
async function close(
  disk: FaultyDisk,
  scene: string,
  meanwhile: (line: string) => void = () => undefined,
): Promise<Closed> {
  const said: string[] = [];
  const { code } = await runChild(['close', disk.path, scene], disk.environment, (line) => {
    said.push(line);
    meanwhile(line);
  });
  assert.equal(code, scene === 'crash' ? null : 0, said.join('\n'));
  const calls = disk.calls();
  return { said, after: calls.slice(calls.findLastIndex((call) => call.endsWith('EIO')) + 1) };
}

function onFaultyDisk(name: string, body: (disk: FaultyDisk, path: string) => Promise<void>): void {
  const onDisk = async (path: string): Promise<void> => {
    const disk = faultyDisk(path);
    try {
      await openFileStore({ path, environment: 'staging' }).close();
      await body(disk, path);
      assert.ok(existsSync(`${path}-wal`), 'the log is left');
      const store = openFileStore({ path, environment: 'staging' });
      assert.ok(await findLogin(store, loginNamed('first')), 'lost');
      await store.close();
      assert.deepEqual((await verifyFile(path)).damage, []);
    } finally {
      disk.remove();
    }
  };
  withFile(name, onDisk, without('cc'));
}

const fatal = 'fatal store: SQLITE_IOERR';
const refused = 'refused late Unavailable: store: SQLITE_IOERR';

describe('FAULTS 5: a disk that fails', { concurrency: 3 }, () => {
  onFaultyDisk(
    'a thread’s synchronisation that fails while the store is closed is told; nothing is committed any more',
    async (disk) => {
      const { said, after } = await close(disk, 'thread', (line) => {
        if (line === 'closing') disk.withdraw('hold-file');
      });
      assert.deepEqual(said, ['saved first', 'closing', fatal, refused, 'closed']);
      assert.deepEqual(after, []);
    },
  );

  onFaultyDisk('it is told however long the disk takes to fail', async (disk) => {
    const hasCommitted = (): boolean => {
      const calls = disk.calls();
      return calls.lastIndexOf('synchronise log') > calls.lastIndexOf('write file');
    };
    const release = async (): Promise<void> => {
      // The closing store waits for a second, and then commits what is queued.
      while (!hasCommitted()) await sleep(5);
      disk.withdraw('hold-file');
    };
    let released: Promise<void> | undefined;
    const { said, after } = await close(disk, 'thread', (line) => {
      if (line === 'closing') released = release();
    });
    await released;
    assert.deepEqual(said, ['saved first', 'closing', 'saved late', fatal, 'closed']);
    assert.deepEqual(after, []);
  });

  onFaultyDisk('a commit that fails leaves the log to another start', async (disk) => {
    const { said, after } = await close(disk, 'commit');
    const doubtful = 'refused doubtful Unavailable: store: SQLITE_IOERR';
    assert.deepEqual(said, ['saved first', fatal, doubtful, refused, 'closed']);
    assert.deepEqual(after, []);
  });

  onFaultyDisk('the last commit is told of, which only rides along', async (disk) => {
    const { said, after } = await close(disk, 'passenger');
    assert.deepEqual(said, ['saved first', fatal, 'closed']);
    assert.deepEqual(after, []);
  });

  onFaultyDisk('the last checkpoint is told of, and not made again', async (disk) => {
    const { said, after } = await close(disk, 'last');
    assert.deepEqual(said, ['saved first', fatal, 'closed']);
    assert.deepEqual(after, []);
  });

  onFaultyDisk(
    'FAULTS 4: what was to make room on a full disk and failed is no reason to try again',
    async (disk) => {
      const { said, after } = await close(disk, 'full');
      assert.deepEqual(said, ['saved first', fatal, refused, 'closed']);
      assert.deepEqual(after, []);
    },
  );

  onFaultyDisk(
    'a start whose checkpoint fails is the last thing that is done',
    async (disk, path) => {
      await close(disk, 'crash');
      const log = readFileSync(`${path}-wal`);
      const { length } = disk.calls();
      disk.order('fail-file');
      const { said } = await close(disk, 'start');
      assert.deepEqual(said, [`StoreUnusable: store ${path} cannot be opened: disk I/O error`]);
      assert.equal(disk.calls().slice(length).at(-1), 'synchronise file EIO');
      assert.deepEqual(readFileSync(`${path}-wal`), log);
    },
  );

  onFaultyDisk('a look at the log that fails after a commit is told', async (disk) => {
    const { said } = await close(disk, 'index');
    // So SQLite calls what cannot be read. The commit was durable, and is answered.
    assert.deepEqual(said, [
      'saved first',
      'fatal store: SQLITE_CORRUPT',
      'saved second',
      'closed',
    ]);
    assert.equal(disk.calls().at(-1), 'synchronise log');
  });
});
