// Owns tests of restoring where the target is in use or damaged, or the restore is cut off.

import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import { fileCare } from '../../src/store/sqlite/care.ts';
import { verifyFile } from '../../src/store/sqlite/file/read.ts';
import { schemaVersion } from '../../src/store/sqlite/schema.ts';
import { StoreUnusable } from '../../src/store/unusable.ts';
import { without } from '../support/tools.ts';
import { killedWriter, startChild, traced } from './children.ts';
import { aClient, club } from './fixtures.ts';
import { isUnusable, open, withBackup } from './restore_fixture.ts';

withBackup('FAULTS 8: it is refused while another process has the store', async (path, backup) => {
  const child = await startChild();
  const report = await verifyFile(path);
  try {
    await child.ask('open', path);
    await assert.rejects(
      fileCare(path).restore(backup, 'staging'),
      isUnusable(/is in use by another process/),
    );
    // Even where the file is beyond reading.
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xa5, 0, 200));
    await assert.rejects(
      fileCare(path).restore(backup, 'staging'),
      isUnusable(/is in use by another process/),
    );
    writeFileSync(path, readFileSync(backup).subarray(0, 200), { flag: 'r+' });
  } finally {
    await child.kill();
  }
  assert.ok(report.counts['login'] === 2);
  await fileCare(path).restore(backup, 'staging');
  assert.deepEqual((await verifyFile(path)).damage, []);
});

withBackup(
  'FAULTS 6: a damaged store is what it is for; the damage is kept',
  async (path, backup) => {
    const damage: readonly ((bytes: Buffer) => Buffer)[] = [
      (bytes) => bytes.subarray(0, bytes.length / 2),
      (bytes) => bytes.fill(0xa5, 0, 100),
      (bytes) => bytes.fill(0xa5, 4096, 8192),
      () => Buffer.alloc(0),
      // FAULTS 26: a newer schema, as SQLite's header tells it.
      (bytes) => {
        bytes.writeUInt32BE(schemaVersion + 1, 60);
        return bytes;
      },
    ];
    const good = readFileSync(path);
    for (const harm of damage) {
      const bad = Buffer.from(harm(Buffer.from(good)));
      writeFileSync(path, bad);
      assert.throws(() => open(path), StoreUnusable);
      const { replaced } = await fileCare(path).restore(backup, 'staging');
      assert.deepEqual(readFileSync(replaced ?? ''), bad);
      const store = open(path);
      assert.deepEqual(await store.list('client', club), [aClient()]);
      await store.close();
    }
  },
);

withBackup('FAULTS 6: a damaged log is kept as well, and never played', async (path, backup) => {
  await killedWriter(path, 3000);
  const log = readFileSync(`${path}-wal`);
  log[8000]! ^= 1;
  writeFileSync(`${path}-wal`, log);
  const { replaced = '' } = await fileCare(path).restore(backup, 'staging');
  assert.deepEqual(readFileSync(`${replaced}-wal`), log);
  const left = readdirSync(dirname(path)).filter((name) => /-(wal|shm)$/.test(name));
  assert.deepEqual(left, [`${basename(replaced)}-wal`]);
  const store = open(path);
  assert.deepEqual(await store.list('client', club), [aClient()]);
  await store.close();
});

withBackup(
  'FAULTS 8: killed at any step, the store is the old one, the new one, or refused',
  async (path, backup) => {
    await killedWriter(path, 2000);
    const kept = ['', '-wal', '-shm'];
    for (const suffix of kept) copyFileSync(path + suffix, `${backup}.kept${suffix}`);
    const seen = new Set<string>();
    const calls = ['linkat', 'link', 'rename', 'unlink'];
    for (let n = 1; n <= 12; n += 1) {
      for (const suffix of kept) copyFileSync(`${backup}.kept${suffix}`, path + suffix);
      const kill = [
        '-e',
        `trace=${calls.join(',')}`,
        '-e',
        `inject=${calls.join(',')}:signal=KILL:when=${n}`,
      ];
      const { stdout } = await traced(kill, 'restore', backup, path);
      seen.add(await stateOf(path));
      if (stdout.includes('restored')) break;
      // Whatever it was, running it again mends it.
      await fileCare(path).restore(backup, 'staging');
      assert.equal(await stateOf(path), 'new');
    }
    assert.deepEqual([...seen].toSorted(), ['new', 'old', 'refused']);
  },
  without('strace'),
);

/** The killed writer's logins tell the old store, their absence the new one. */
async function stateOf(path: string): Promise<string> {
  try {
    await open(path).close();
  } catch (error) {
    assert.ok(error instanceof StoreUnusable, String(error));
    assert.match(error.message, /a restore was cut off/);
    return 'refused';
  }
  const { counts, damage } = await verifyFile(path);
  assert.deepEqual(damage, []);
  assert.equal(counts['client'], 1);
  return counts['login'] === 0 ? 'new' : 'old';
}
