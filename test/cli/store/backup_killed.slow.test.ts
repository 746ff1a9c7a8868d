// Owns the promise that a dated backup which is killed at any step leaves whole backups alone.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { program } from '../../support/program.ts';
import { testNeeding } from '../../support/tools.ts';
import { environment, jetway, jetwayEach, workFolder } from '../command.ts';

const add = ['client', 'add', '--programme', 'club', '--name', 'A', '--role', 'partner'];
const backup = ['store', 'backup', 'backups', '--keep', '2'];

testNeeding('strace')('FAULTS 40: killed at any step, only whole backups have names', async (t) => {
  const folder = workFolder(t);
  await jetwayEach(folder, [add, backup, backup]);
  const place = join(folder, 'backups');
  const named = (): readonly string[] => readdirSync(place).filter((name) => name.endsWith('.db'));
  const calls = 'link,linkat,rename,unlink,unlinkat,fsync,fdatasync,pwrite64';
  let ended = false;
  let kills = 0;
  for (let n = 1; n <= 200 && !ended; n += 1) {
    const before = named();
    const inject = `inject=${calls}:signal=KILL:when=${n}`;
    const strace = ['-f', '-qq', '-o', join(folder, 'trace'), '-e', `trace=${calls}`];
    const run = [process.execPath, program, ...backup];
    const { status } = spawnSync('strace', [...strace, '-e', inject, ...run], {
      cwd: folder,
      env: environment,
    });
    ended = status === 0;
    kills += ended ? 0 : 1;
    const after = named();
    // The new one may have its name, and the oldest may be gone once it has.
    const fresh = after.filter((name) => !before.includes(name));
    const gone = before.filter((name) => !after.includes(name));
    assert.ok(fresh.length <= 1, `${fresh.length} new ones`);
    assert.ok(gone.length <= fresh.length + before.length - 2, `gone: ${gone.join(' ')}`);
    for (const name of after) {
      assert.equal((await jetway(folder, ['store', 'verify', join('backups', name)])).code, 0);
    }
  }
  assert.ok(ended && kills > 5, `${kills} kills`);
  assert.equal(named().length, 2);
});
