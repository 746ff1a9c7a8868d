// Owns tests of putting a backup in the place of a store: what comes back, and what must not.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { milliseconds } from '../../../../src/lib/clock.ts';
import type { Digest } from '../../../../src/lib/digest.ts';
import type { ClientId } from '../../../../src/oauth/client.ts';
import type { Era } from '../../../../src/oauth/grant.ts';
import type { Store } from '../../../../src/store/contract.ts';
import { backupStore } from '../../../../src/store/sqlite/care/backup.ts';
import { restoreStore } from '../../../../src/store/sqlite/care/restore.ts';
import { schemaVersion } from '../../../../src/store/sqlite/schema.ts';
import { openFileStore } from '../../../../src/store/sqlite/store.ts';
import {
  aClient,
  aFamily,
  aMember,
  aSigningKey,
  at,
  club,
  otherPartner,
  partner,
} from '../../fixtures.ts';
import { findAccess, findCode, findRefresh, login, rotate } from '../../login.ts';
import { clientsOf, isUnusable, open, staging, withBackup } from '../../restore_fixture.ts';

withBackup('FAULTS 8: what was granted is void, what was set up is there', async (path, backup) => {
  const before = open(path);
  await rotate(before, 'r1', 'r2');
  await before.revokeFamily(club, aFamily().id, at(60));
  await before.add('client', [aClient({ id: 'partnerapi-00009' as ClientId })]);
  await before.close();
  const report = await restoreStore(backup, path, staging);
  assert.equal(report.replaced, `${path}.before-restore`);
  const voided = { code: 2, family: 1, refresh_token: 1, access_token: 2 };
  assert.deepEqual(report.voided, voided);
  assert.deepEqual(report.damage, []);
  // Not even in pages that nobody reads any more.
  assert.ok(!readFileSync(path).includes('unspent'));
  const store = open(path);
  for (const name of ['r1', 'r2']) {
    assert.equal(await findRefresh(store, name, 1), undefined);
  }
  for (const name of ['code', 'unspent']) {
    assert.equal(await findCode(store, name, 1), undefined);
  }
  for (const name of ['access', 'partner']) {
    assert.equal(await findAccess(store, name, 1), undefined);
  }
  assert.deepEqual(await store.list('client', club), [aClient()]);
  assert.notDeepEqual(await store.add('client', [aClient({ id: otherPartner })]), []);
  assert.deepEqual(await store.list('member', club), [aMember()]);
  assert.deepEqual(await store.list('signing_key', club), [aSigningKey('kid')]);
  assert.equal((await store.time()).recorded, at(50));
  await login(store);
  await store.close();
  // The replaced file is what it was.
  const replaced = open(`${path}.before-restore`);
  assert.equal((await replaced.list('client', club)).length, 2);
  await replaced.close();
});

withBackup('FAULTS 8: JWTs of before the restore no longer stand', async (path, backup) => {
  const own = { client: partner, subject: `client:${partner}`, issuedAt: at(0) };
  /** The eras of tokens issued before, in each life of the store, and now. */
  const eras: Era[] = [];
  const live = async (): Promise<void> => {
    const store = open(path);
    eras.push(await store.era());
    await store.revokeAll(club, { subject: 'somebody' });
    eras.push(await store.era());
    await store.close();
  };
  await live();
  for (const isLost of [false, true, true]) {
    // Of a store that is lost nobody knows which eras it had after the backup.
    if (isLost) for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
    await restoreStore(backup, path, staging);
    const store = open(path);
    for (const era of eras) assert.equal(await store.isStanding(club, { ...own, era }), false);
    assert.equal(await store.isStanding(club, own), false);
    assert.equal(await store.isStanding(club, { ...own, era: await store.era() }), true);
    await store.close();
    await live();
  }
});

withBackup(
  'FAULTS 28: a restore goes on at the time of the store it replaces',
  async (path, backup) => {
    for (const recorded of [at(120), at(-3600)]) {
      const before = open(path);
      await before.acceptTime(recorded);
      await before.close();
      await restoreStore(backup, path, staging);
      const store = open(path);
      assert.equal((await store.time()).recorded, recorded);
      await store.close();
    }
  },
);

withBackup('FAULTS 8: a restore to nowhere makes the store', async (path, backup) => {
  const target = `${dirname(path)}/elsewhere/new.db`;
  assert.equal((await restoreStore(backup, target, staging)).replaced, undefined);
  assert.equal(statSync(target).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(dirname(target)), ['new.db']);
  assert.deepEqual(await clientsOf(target), [aClient()]);
});

withBackup('FAULTS 8: no lock comes back, and no node number', async (path, backup) => {
  const store = open(path);
  const account = 'digest-of-username' as Digest;
  const policy = { attempts: 1, window: milliseconds(60_000), lock: milliseconds(60_000) };
  const begin = (target: Store) => target.reserveAttempt(club, account, policy, at(60));
  await begin(store);
  assert.equal((await begin(store)).allowed, false);
  assert.equal(await store.leaseNode(at(60), 'ended'), 0);
  await store.revokeToken(club, { tokenId: 'jti', expiresAt: at(1000) }, at(60));
  const newer = `${backup}.newer`;
  const { counts } = await backupStore(path, newer);
  assert.deepEqual([counts['login_attempt'], counts['node_lease']], [1, 1]);
  await store.close();
  const restored = await restoreStore(newer, path, staging);
  assert.deepEqual(Object.keys(restored.voided).toSorted(), [
    'access_token',
    'code',
    'family',
    'refresh_token',
  ]);
  const after = open(path);
  assert.deepEqual(await begin(after), { allowed: true });
  assert.equal(await after.leaseNode(at(100), 'new'), 0);
  const jwt = { client: partner, subject: 'subject-1', issuedAt: at(900), tokenId: 'jti' };
  assert.equal(await after.isStanding(club, jwt), false);
  const [holder] = await after.findBy('client', 'api_key', club, 'digest-of-key' as Digest);
  assert.equal(holder?.id, partner);
  await after.close();
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
  'FAULTS 26: a backup of an older schema is brought up, a newer store replaced',
  async (path, backup) => {
    const older = new DatabaseSync(`${backup}.old`);
    older.exec(readFileSync(new URL('../../schema_5.sql', import.meta.url), 'utf8'));
    older.close();
    const newer = new DatabaseSync(path);
    newer.exec(`PRAGMA user_version = ${schemaVersion + 1}`);
    newer.close();
    assert.equal((await restoreStore(`${backup}.old`, path, staging)).schema, schemaVersion);
    const store = open(path);
    assert.equal((await store.list('client', club)).length, 3);
    assert.equal(await findRefresh(store, 'second live', 1), undefined);
    await store.close();
  },
);
