// Owns tests of putting a backup in the place of a store: what comes back, and what must not.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { ClientId } from '../../../../src/oauth/client.ts';
import type { Era } from '../../../../src/oauth/grant.ts';
import { codeName } from '../../../../src/store/sql/login_rows.ts';
import { schemaVersion } from '../../../../src/store/sqlite/schema.ts';
import { openFileStore } from '../../../../src/store/sqlite/store.ts';
import { aClient, aLogin, at, aTokenOfItsOwn, club, key } from '../../fixtures.ts';
import { refresh } from '../../login.ts';
import {
  clientsOf,
  isUnusable,
  open,
  restoreStore,
  staging,
  withBackup,
} from '../../restore_fixture.ts';

withBackup(
  'FAULTS 8: what was granted is gone from the file, and the replaced file is kept',
  async (path, backup) => {
    const before = open(path);
    await refresh(before, aLogin(), 'next');
    await before.revoke(club, { place: aLogin().place }, at(60));
    await before.add('client', [aClient({ id: 'partnerapi-00009' as ClientId })]);
    await before.close();
    const report = await restoreStore(backup, path, staging);
    const { replaced: kept = '' } = report;
    assert.match(kept, /\/jetway\.db\.before-restore-\d{8}T\d{6}\.\d{3}Z$/);
    assert.deepEqual(report.voided, { code: 1, known_code: 2, login: 2, token_key: 1 });
    assert.deepEqual(report.damage, []);
    // Not even in pages that nobody reads any more.
    assert.ok(!readFileSync(path).includes(codeName(club, key('unspent')).digest));
    // The replaced file is what it was.
    const replaced = open(kept);
    assert.equal((await replaced.list('client', club)).length, 2);
    await replaced.close();
  },
);

withBackup('FAULTS 8: own tokens of before the restore no longer stand', async (path, backup) => {
  /** The eras of tokens issued before, in each life of the store, and now. */
  const eras: Era[] = [];
  const live = async (): Promise<void> => {
    const store = open(path);
    eras.push(await store.era());
    await store.revoke(club, { subject: 'somebody' });
    eras.push(await store.era());
    await store.close();
  };
  await live();
  for (const isLost of [false, true, true]) {
    // Of a store that is lost nobody knows which eras it had after the backup.
    if (isLost) for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
    await restoreStore(backup, path, staging);
    const store = open(path);
    for (const era of eras) assert.equal(await store.isStanding(club, aTokenOfItsOwn(era)), false);
    assert.equal(await store.isStanding(club, aTokenOfItsOwn(await store.era())), true);
    await store.close();
    await live();
  }
});

withBackup('FAULTS 8: a restore to nowhere makes the store', async (path, backup) => {
  const target = `${dirname(path)}/elsewhere/new.db`;
  assert.equal((await restoreStore(backup, target, staging)).replaced, undefined);
  assert.equal(statSync(target).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(dirname(target)), ['new.db']);
  assert.deepEqual(await clientsOf(target), [aClient()]);
});

withBackup('C-3: a backup goes to its own environment', async (path, backup) => {
  const before = readFileSync(path);
  const live = { environment: 'live' } as const;
  await assert.rejects(restoreStore(backup, path, live), isUnusable(/is of environment staging/));
  const liveBackup = `${backup}.live`;
  await openFileStore({ path: liveBackup, environment: 'live' }).close();
  await assert.rejects(
    restoreStore(liveBackup, path, live),
    isUnusable(/is a file of environment staging/),
  );
  assert.deepEqual(readFileSync(path), before);
});

withBackup('FAULTS 6: neither a bad backup nor a foreign target is taken', async (path, backup) => {
  const bytes = readFileSync(backup);
  const before = readFileSync(path);
  const refuse = async (message: RegExp, from = backup, to = path): Promise<void> => {
    await assert.rejects(restoreStore(from, to, staging), isUnusable(message));
    assert.deepEqual(readFileSync(path), before);
  };
  writeFileSync(backup, bytes.subarray(0, bytes.length - 8192));
  await refuse(/is damaged/);
  writeFileSync(backup, 'nothing of the kind\n'.repeat(300));
  await refuse(/is not a database/);
  await refuse(/there is no file/, `${backup}.none`);
  await refuse(/is the store itself/, path);
  writeFileSync(backup, bytes);
  const foreign = `${dirname(path)}/foreign.db`;
  const database = new DatabaseSync(foreign);
  database.exec('CREATE TABLE theirs (id INTEGER PRIMARY KEY)');
  database.close();
  await refuse(/is a file of another application/, backup, foreign);
  const names = readdirSync(dirname(path)).filter((name) => name.endsWith('.new'));
  assert.deepEqual(names, []);
});

withBackup(
  'FAULTS 26: a backup of another schema is refused, a newer store replaced',
  async (path, backup) => {
    const setSchema = (file: string, version: number): void => {
      const database = new DatabaseSync(file);
      database.exec(`PRAGMA user_version = ${version}`);
      database.close();
    };
    setSchema(path, schemaVersion + 1);
    for (const version of [schemaVersion - 1, schemaVersion + 1]) {
      setSchema(backup, version);
      await assert.rejects(
        restoreStore(backup, path, staging),
        isUnusable(new RegExp(`has schema ${version}`)),
      );
    }
    setSchema(backup, schemaVersion);
    await restoreStore(backup, path, staging);
    assert.deepEqual(await clientsOf(path), [aClient()]);
  },
);
