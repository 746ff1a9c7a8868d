// HOSTILE 56: every file with something secret in it is its owner's alone however it came to be, and
// none is used that somebody else could have read or made; links change nothing of that.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';

import type { Config } from '../../src/config/config.ts';
import { usualLog } from '../../src/config/log_keys.ts';
import { readMasterKey } from '../../src/config/master_key.ts';
import { milliseconds } from '../../src/lib/clock.ts';
import { fileCare } from '../../src/store/sqlite/care.ts';
import { verifyFile } from '../../src/store/sqlite/file/read.ts';
import { expectFilePath } from '../../src/store/sqlite/file/refusals.ts';
import { openFileStore, serverReserve } from '../../src/store/sqlite/store.ts';
import { StoreUnusable, MasterKeyUnusable } from '../../src/store/unusable.ts';
import { program } from '../support/program.ts';
import { killedWriter } from './children.ts';
import { scratchFile } from './file_directory.ts';
import { aClient, club, partner } from './fixtures.ts';

const environment = 'staging';

/** A folder that is there already, and the path of a store to be in it. */
function scratch(t: TestContext): { readonly folder: string; readonly path: string } {
  const { path, remove } = scratchFile();
  t.after(remove);
  mkdirSync(dirname(path), { mode: 0o700 });
  return { folder: dirname(path), path };
}

function configOf(path: string): Config {
  return {
    environment,
    listen: { host: '127.0.0.1', port: 0 },
    publicUrl: 'https://tokens.example',
    programmes: 'programmes',
    store: { kind: 'file', path },
    trustedProxies: [],
    jwksNetworks: [],
    workers: 1,
    document: { kind: 'map', at: { file: '', line: 1, column: 1 }, entries: new Map() },
    control: 'jetway.control',
    watchProgrammes: true,
    log: usualLog,
    stopDelay: milliseconds(0),
  };
}

/** A closed store with one client, as a server leaves it. */
async function make(path: string): Promise<void> {
  const store = openFileStore({ path, environment, reserve: serverReserve });
  await store.add('client', [aClient()]);
  await store.close();
}

for (const umask of [0, 0o022, 0o277]) {
  test(`HOSTILE 56: with umask ${umask.toString(8)} every file is its owner’s alone`, async (t) => {
    const { folder, path } = scratch(t);
    const before = process.umask(umask);
    t.after(() => process.umask(before));
    readMasterKey(configOf(path));
    await make(path);
    const modes = (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(folder).map((name) => [
          name,
          (statSync(join(folder, name)).mode & 0o777).toString(8),
        ]),
      );
    const store = openFileStore({ path, environment });
    await store.add('client', [aClient({ programme: club, id: partner })]);
    await fileCare(path).backup(join(folder, 'backup'));
    const whileOpen = modes();
    await store.close();
    const { replaced = '' } = await fileCare(path).restore(join(folder, 'backup'), environment);
    const names = ['backup', 'jetway.db', 'jetway.db-reserve', 'jetway.db-shm', 'jetway.db-wal'];
    assert.deepEqual(
      whileOpen,
      Object.fromEntries([...names, 'master.key'].map((name) => [name, '600'])),
    );
    const kept = names.filter((name) => !/-(?:shm|wal)$/.test(name));
    const made = [...kept, basename(replaced), 'master.key'];
    assert.deepEqual(modes(), Object.fromEntries(made.map((name) => [name, '600'])));
  });
}

test('HOSTILE 56: a file or log that others can read or write, or have made, is refused', async (t) => {
  const { path } = scratch(t);
  await killedWriter(path, 2000);
  for (const file of ['', '-wal', '-shm'].map((suffix) => path + suffix)) {
    for (const mode of ['644', '620', '602']) {
      chmodSync(file, mode);
      assert.throws(() => openFileStore({ path, environment }), {
        name: StoreUnusable.name,
        message: `store ${file} is open to others (mode 0${mode})`,
        hint: `chmod 600 ${file}`,
      });
    }
    chmodSync(file, 0o600);
    if (process.getuid?.() !== 0) continue;
    chownSync(file, 65_534, 65_534);
    assert.throws(() => openFileStore({ path, environment }), {
      message: `store ${file} belongs to another user (uid 65534)`,
    });
    chownSync(file, 0, 0);
  }
  await openFileStore({ path, environment }).close();
});

test('HOSTILE 56: a master key of another user is refused, by a link as well', (t) => {
  const { folder, path } = scratch(t);
  const config = configOf(path);
  const key = readMasterKey(config);
  const file = join(folder, 'elsewhere');
  const standing = join(folder, 'master.key');
  copyFileSync(standing, file);
  rmSync(standing);
  symlinkSync(file, standing);
  chmodSync(file, 0o600);
  assert.deepEqual(readMasterKey(config), key);
  const refused = (message: string): void =>
    assert.throws(() => readMasterKey(config), { name: MasterKeyUnusable.name, message });
  chmodSync(file, 0o604);
  refused(`${standing} can be read by others (mode 0604): chmod 600 it`);
  chmodSync(file, 0o600);
  if (process.getuid?.() !== 0) return;
  chownSync(file, 65_534, 65_534);
  refused(`${standing} belongs to another user: give it to root or to the user of Jetway`);
});

test('HOSTILE 56: a store behind a link is one store, whichever way it is opened', async (t) => {
  const { folder, path } = scratch(t);
  await make(path);
  const link = join(folder, 'link.db');
  symlinkSync('jetway.db', link);
  const acknowledged = await killedWriter(link, 2000);
  // What the log holds belongs to the file, and stays beside it.
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('link')),
    ['link.db'],
  );
  const report = await verifyFile(link);
  assert.equal(report.path, path);
  assert.ok((report.counts['login'] ?? 0) >= acknowledged.length);
  const backup = join(folder, 'backup.db');
  await assert.rejects(fileCare(path).backup(link, { overwrite: true }), /is the store itself/);
  await fileCare(link).backup(backup);
  const { replaced } = await fileCare(link).restore(backup, environment);
  assert.match(replaced ?? '', /\/jetway\.db\.before-restore-/);
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.equal((await verifyFile(path)).counts['login'], 0);
});

test('HOSTILE 56: nothing behind a link in the place of a file is written to', async (t) => {
  const { folder, path } = scratch(t);
  await make(path);
  const foreign = join(folder, 'foreign');
  writeFileSync(foreign, 'somebody else’s');
  const standsAsItWas = (): void => assert.equal(readFileSync(foreign, 'utf8'), 'somebody else’s');

  rmSync(`${path}-reserve`);
  symlinkSync(foreign, `${path}-reserve`);
  await make(`${path}.other`);
  const store = openFileStore({ path, environment, reserve: serverReserve });
  // Without its reserve it has no room for grants.
  assert.equal(store.health().status, 'full');
  await store.close();
  standsAsItWas();
  rmSync(`${path}-reserve`);

  const link = join(folder, 'backup.db');
  symlinkSync(foreign, link);
  await assert.rejects(fileCare(path).backup(link), /is there already/);
  await fileCare(path).backup(link, { overwrite: true });
  assert.ok(lstatSync(link).isFile());
  standsAsItWas();

  const { replaced } = await fileCare(path).restore(link, environment);
  assert.ok(lstatSync(replaced ?? '').isFile());
  standsAsItWas();

  rmSync(foreign);
  rmSync(path);
  symlinkSync(foreign, path);
  assert.throws(() => openFileStore({ path, environment }), StoreUnusable);
  assert.equal(existsSync(foreign), false);
});

test('HOSTILE 56: a folder that may not be looked into is the operator’s to mend', (t) => {
  const { folder, path } = scratch(t);
  if (process.getuid?.() !== 0) return t.skip('only root can be somebody else here');
  const config = configOf(path);
  readMasterKey(config);
  assert.ok(process.seteuid);
  const be = process.seteuid.bind(process);
  be(65_534);
  try {
    expectFilePath(path);
    assert.throws(() => openFileStore({ path, environment }), {
      name: StoreUnusable.name,
      message: new RegExp(`^store ${path} cannot be opened: EACCES`),
    });
  } finally {
    be(0);
  }
  assert.deepEqual(readdirSync(folder), ['master.key']);
});

test('HOSTILE 56: whoever may only read a store leaves nothing in the way of who serves it', async (t) => {
  const { folder, path } = scratch(t);
  if (process.getuid?.() !== 0) return t.skip('only root can be somebody else here');
  await make(path);
  rmSync(`${path}-reserve`);
  const nobody = { uid: 65_534, gid: 65_534 };
  for (const one of [dirname(folder), folder, path]) chownSync(one, nobody.uid, nobody.gid);
  const before = readdirSync(folder);
  for (const mode of [0o400, 0o600]) {
    chmodSync(path, mode);
    const command = [program, 'store', 'verify', path];
    const { status, stderr } = spawnSync(process.execPath, command, {
      ...nobody,
      cwd: folder,
      encoding: 'utf8',
      // Not node's own cache of this run, whose path is relative.
      env: { PATH: process.env['PATH'] },
    });
    assert.deepEqual([status, stderr], [0, '']);
    assert.deepEqual(readdirSync(folder), before);
  }
});

test('HOSTILE 56: files are taken as orchestrators mount them, and no further', async (t) => {
  const { folder, path } = scratch(t);
  if (process.getuid?.() !== 0) return t.skip('only root can be somebody else here');
  const [us, group, others] = [65_532, 2000, 2001];
  const config = configOf(path);
  const key = readMasterKey(config);
  await make(path);
  const keyFile = join(folder, 'master.key');
  const files = readdirSync(folder).map((name) => join(folder, name));
  chmodSync(dirname(folder), 0o755);
  const { seteuid, setgroups, getgroups } = process;
  assert.ok(seteuid && setgroups && getgroups);
  const before = getgroups.call(process);
  const asService = async (act: () => unknown): Promise<void> => {
    setgroups.call(process, [group]);
    seteuid.call(process, us);
    try {
      await act();
    } finally {
      seteuid.call(process, 0);
      setgroups.call(process, before);
    }
  };
  const give = (names: readonly string[], mode: number, uid: number, gid: number): void => {
    for (const name of names) {
      chownSync(name, uid, gid);
      chmodSync(name, mode);
    }
  };
  const taken = (): void => assert.deepEqual(readMasterKey(config), key);
  const refused = (): void =>
    assert.throws(() => readMasterKey(config), /can be read by others .*: chmod 600 it$/);
  const opens = (): Promise<void> => openFileStore({ path, environment }).close();

  // A volume with fsGroup: at each start the group gets what the owner has.
  give(files, 0o660, us, group);
  give([folder], 0o2770, us, group);
  await asService(taken);
  await asService(opens);
  // A mounted secret: of root, with defaultMode 0440.
  for (const mode of [0o440, 0o640]) {
    give([keyFile], mode, 0, group);
    await asService(taken);
  }
  for (const mode of [0o460, 0o444, 0o642]) {
    give([keyFile], mode, 0, group);
    await asService(refused);
  }
  give([keyFile], 0o664, us, group);
  await asService(refused);
  give([keyFile], 0o640, 65_534, group);
  await asService(refused);
  // Without the mark of such a volume nobody but the owner may read what is the service's own.
  give([folder], 0o700, us, group);
  give([keyFile], 0o640, us, group);
  await asService(refused);
  assert.throws(() => {
    give([path], 0o660, us, group);
    seteuid.call(process, us);
    try {
      openFileStore({ path, environment });
    } finally {
      seteuid.call(process, 0);
    }
  }, /is open to others \(mode 0660\)/);
  // Another group's rights never count.
  give([folder], 0o2770, us, others);
  give([keyFile], 0o640, us, others);
  await asService(refused);
});
