// Owns the promises of `store backup`, `restore` and `verify` as commands; what they do to files is
// tested with the store.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { configText, jetwayEach, workFolder } from './command.ts';
import { serve } from './server.ts';

const add = ['client', 'add', '--programme', 'club', '--name', 'A', '--role', 'partner'];
const list = ['client', 'list', '--json'];

interface Report {
  readonly path: string;
  readonly environment: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly damage: readonly string[];
  readonly replaced?: string | null;
}

describe('store', { concurrency: 2 }, () => {
  test('backup beside a running server, restore, and what is put aside', async (t) => {
    const folder = workFolder(t);
    const [first] = await jetwayEach(folder, [add]);
    assert.equal(first.code, 0);
    await t.test(
      'while a server has the store, a backup is made and a restore is refused',
      async (meanwhile) => {
        await serve(meanwhile, folder);
        const [made, taken, forced, refused] = await jetwayEach(folder, [
          ['store', 'backup', 'backup.db', '--json'],
          ['store', 'backup', 'backup.db'],
          ['store', 'backup', 'backup.db', '--force'],
          ['store', 'restore', 'backup.db', '--yes'],
        ]);
        assert.deepEqual([made.code, made.stderr], [0, '']);
        const report = JSON.parse(made.stdout) as Report;
        assert.deepEqual([report.path, report.damage], [join(folder, 'backup.db'), []]);
        assert.equal(report.counts['client'], 1);
        assert.equal(statSync(join(folder, 'backup.db')).mode & 0o777, 0o600);
        assert.deepEqual(taken, {
          code: 1,
          stdout: '',
          stderr: 'backup.db is there already: name another file, or add --force to replace it\n',
        });
        assert.equal(forced.code, 0);
        assert.match(
          forced.stdout,
          /^The store is backed up to backup\.db, .*\nThe master key is not in it/,
        );
        assert.equal(refused.code, 4);
      },
    );
    const [, unsure, restored, listed] = await jetwayEach(folder, [
      add,
      ['store', 'restore', 'backup.db'],
      ['store', 'restore', 'backup.db', '--yes', '--json'],
      list,
    ]);
    assert.deepEqual([unsure.code, unsure.stdout], [2, '']);
    assert.match(unsure.stderr, /would be put aside, .*: add --yes if you mean it\n$/);
    assert.deepEqual([restored.code, restored.stderr], [0, '']);
    const { replaced, environment } = JSON.parse(restored.stdout) as Report;
    assert.equal(environment, 'staging');
    assert.ok(statSync(replaced ?? '').isFile());
    assert.equal((JSON.parse(listed.stdout) as unknown[]).length, 1);
  });

  test('what cannot be read or written is told by its name, and leaves nothing', async (t) => {
    const folder = workFolder(t);
    const [, nowhere, absent, nothing, made] = await jetwayEach(folder, [
      add,
      ['store', 'backup', 'nowhere/backup.db'],
      ['store', 'verify', 'nothing.db'],
      ['store', 'restore', 'nothing.db', '--yes'],
      ['store', 'backup', 'backup.db'],
    ]);
    const advice = 'look at its folder, its permissions and the space left on the disk';
    assert.deepEqual(nowhere, {
      code: 1,
      stdout: '',
      stderr: `the backup cannot be written to nowhere/backup.db (ENOENT: no such file or directory): ${advice}\n`,
    });
    const message = `there is no file ${join(folder, 'nothing.db')}: name the file of a store or a backup\n`;
    for (const one of [absent, nothing]) assert.deepEqual([one.code, one.stderr], [4, message]);
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

  test('verify tells what is in the store or a backup, and damage: exit 4', async (t) => {
    const folder = workFolder(t, {
      'live.yaml': configText.replace('staging', 'live').replace('jetway.db', 'live.db'),
    });
    const [absent, , sound, backup, told, foreign] = await jetwayEach(folder, [
      ['store', 'verify'],
      add,
      ['store', 'verify', '--json'],
      ['store', 'backup', 'backup.db'],
      ['store', 'verify', 'backup.db'],
      ['store', 'restore', 'backup.db', '--yes', '--config', 'live.yaml'],
    ]);
    assert.deepEqual([absent.code, absent.stdout], [4, '']);
    const { counts, damage } = JSON.parse(sound.stdout) as Report;
    assert.deepEqual([counts['client'], damage], [1, []]);
    assert.equal(backup.code, 0);
    assert.match(
      told.stdout,
      /^The store is sound\. A restore of it .*\n\n {2}file +\S+backup\.db\n/,
    );
    assert.match(told.stdout, /^ +1 client$/m);
    assert.equal(foreign.code, 4);
    assert.match(foreign.stderr, /is of environment staging; this configuration is for live/);

    const path = join(folder, 'backup.db');
    const bytes = readFileSync(path);
    const at = bytes.indexOf('"name":"A"');
    assert.ok(at > 0);
    bytes.write('"name":"B"', at);
    rmSync(path);
    writeFileSync(path, bytes);
    const [damaged, json] = await jetwayEach(folder, [
      ['store', 'verify', 'backup.db'],
      ['store', 'verify', 'backup.db', '--json'],
    ]);
    assert.deepEqual([damaged.code, damaged.stderr, json.code], [4, '', 4]);
    assert.match(
      damaged.stdout,
      /^The store is damaged: restore a backup\.\n[^]*checksums: 1 of registered/,
    );
    assert.equal((JSON.parse(json.stdout) as Report).damage.length, 1);
  });
});
