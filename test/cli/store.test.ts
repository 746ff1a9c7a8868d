// Owns what `store backup` and `restore` do where the disk is full; the rest is in store/care.session.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { configText, jetwayEach, workFolder } from './command.ts';

const add = ['client', 'add', '--programme', 'club', '--name', 'A', '--role', 'partner'];

test('what cannot be written is told by its name, and leaves nothing', async (t) => {
  const folder = workFolder(t);
  const advice = 'look at its folder, its permissions and the space left on the disk';
  const [, made] = await jetwayEach(folder, [add, ['store', 'backup', 'backup.db']]);
  assert.equal(made.code, 0);
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  const mount = ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', disk];
  if (spawnSync('mount', mount).status !== 0) {
    t.diagnostic('no file system can be mounted here');
    return;
  }
  writeFileSync(join(folder, 'small.yaml'), configText.replace('./data/', './disk/'));
  const ran = await jetwayEach(folder, [
    ['store', 'backup', 'disk/backup.db'],
    ['store', 'restore', 'backup.db', '--yes', '--config', 'small.yaml'],
  ]);
  const left = readdirSync(disk);
  spawnSync('umount', ['-l', disk]);
  const [full, unrestored] = ran;
  const reason = `(database or disk is full): ${advice}\n`;
  assert.deepEqual(full, {
    code: 1,
    stdout: '',
    stderr: `the backup cannot be written to disk/backup.db ${reason}`,
  });
  assert.deepEqual(unrestored, {
    code: 4,
    stdout: '',
    stderr: `the store ${join(disk, 'jetway.db')} cannot be replaced ${reason}`,
  });
  assert.deepEqual(left, []);
});
