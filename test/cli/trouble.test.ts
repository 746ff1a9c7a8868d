// What a command says that the system has failed: what was wrong, whether anything was changed, and
// what to do (FAULTS 5, 22).

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { faultyDisk } from '../store/faulty_disk.ts';
import { preloadLibrary } from '../support/preload.ts';
import { without } from '../support/tools.ts';
import { jetway, jetwayJson, jetwayWith, putSecret, workFolder } from './command.ts';

const on = ['--programme', 'club'];
const add = ['member', 'add', ...on, '--password-stdin', '--username'];

/** As NODE_OPTIONS takes it, where a space ends an option. */
const dyingThreads = new URL('../members/dying_threads.ts', import.meta.url).href;
const scarce = (what: string): Readonly<Record<string, string>> => ({
  LD_PRELOAD: preloadLibrary(new URL('../members/scarce.c', import.meta.url)),
  SCARCE: what,
});

const unhashed = 'nothing was changed, as a password could not be hashed: ';
const noMemory = 'see to the memory that is free (a hash takes 19 MiB), then try again\n';

describe('a command that the system fails', { concurrency: 2 }, () => {
  test(
    'FAULTS 22: no thread to hash in: what to do, and nothing was changed',
    { skip: without('cc') },
    async (t) => {
      const folder = workFolder(t);
      putSecret(
        folder,
        'members.csv',
        'username,password\nann,correct horse\nbob,battery staple\n',
      );
      await jetwayJson(folder, [...add, 'zoe'], 'a password\n');
      const before = await jetwayJson(folder, ['member', 'list']);
      const failed = {
        code: 1,
        stdout: '',
        stderr: `${unhashed}a hashing thread cannot start (EAGAIN); see to the memory that is free and to the limits of threads (ulimit -u, TasksMax of a systemd unit), then try again\n`,
      };
      const commands: readonly (readonly [args: readonly string[], input: string])[] = [
        [[...add, 'ann'], 'correct horse\n'],
        [['member', 'set', 'zoe', ...on, '--password-stdin'], 'another\n'],
        [['member', 'import', 'members.csv', ...on], ''],
      ];
      for (const [args, input] of commands) {
        assert.deepEqual(await jetwayWith(folder, scarce('threads'), args, input), failed);
      }
      assert.deepEqual(await jetwayJson(folder, ['member', 'list']), before);
    },
  );

  test('FAULTS 22: no memory to hash in', { skip: without('cc') }, async (t) => {
    const ran = await jetwayWith(workFolder(t), scarce('memory'), [...add, 'ann'], 'a password\n');
    const what = 'hashing a password failed (ERR_OSSL_CRYPTO_MALLOC_FAILURE); ';
    assert.deepEqual(ran, { code: 1, stdout: '', stderr: unhashed + what + noMemory });
  });

  test('FAULTS 22: a hashing thread that dies', async (t) => {
    const environment = { NODE_OPTIONS: `--import=${dyingThreads}` };
    const ran = await jetwayWith(workFolder(t), environment, [...add, 'ann'], 'a password\n');
    const stderr = `${unhashed}a hashing thread has ended; ${noMemory}`;
    assert.deepEqual(ran, { code: 1, stdout: '', stderr });
  });

  test(
    'FAULTS 5: a disk that fails is to be looked at, and not tried again',
    { skip: without('cc') },
    async (t) => {
      const folder = workFolder(t);
      await jetwayJson(folder, ['member', 'list']);
      const disk = faultyDisk(join(folder, 'data/jetway.db'));
      t.after(disk.remove);
      disk.order('fail-log');
      assert.deepEqual(
        await jetwayWith(folder, disk.environment, [...add, 'ann'], 'a password\n'),
        {
          code: 4,
          stdout: '',
          stderr:
            'the store can no longer be used (store: SQLITE_IOERR): look at the disk and the file (jetway store verify) before anything else is done with it\n',
        },
      );
      assert.equal(disk.calls().at(-1), 'synchronise log EIO');
      const { code } = await jetway(folder, ['store', 'verify']);
      assert.equal(code, 0);
    },
  );
});
