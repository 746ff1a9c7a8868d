// Owns tests of putting a backup in the place of a store: what comes back, and what must not.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { instant, milliseconds } from '../../../../src/lib/clock.ts';
import { type Digest, digest } from '../../../../src/lib/digest.ts';
import type { ClientId } from '../../../../src/oauth/client.ts';
import type { Era } from '../../../../src/oauth/grant.ts';
import type { Store } from '../../../../src/store/contract.ts';
import { schemaVersion } from '../../../../src/store/sqlite/schema.ts';
import { openFileStore } from '../../../../src/store/sqlite/store.ts';
import {
  aClient,
  aLogin,
  aMember,
  aSigningKey,
  at,
  aTokenOfItsOwn,
  club,
  key,
  loginNamed,
  otherPartner,
  partner,
} from '../../fixtures.ts';
import { findCode, findLogin, login, refresh } from '../../login.ts';
import {
  backupStore,
  clientsOf,
  isUnusable,
  open,
  restoreStore,
  staging,
  withBackup,
} from '../../restore_fixture.ts';

withBackup('FAULTS 8: what was granted is void, what was set up is there', async (path, backup) => {
  const before = open(path);
  await refresh(before, aLogin(), 'next');
  await before.revoke(club, { place: aLogin().place }, at(60));
  await before.add('client', [aClient({ id: 'partnerapi-00009' as ClientId })]);
  await before.close();
  const report = await restoreStore(backup, path, staging);
  assert.equal(report.replaced, `${path}.before-restore`);
  assert.deepEqual(report.voided, { code: 2, spent_code: 0, login: 2, token_key: 1 });
  assert.deepEqual(report.damage, []);
  // Not even in pages that nobody reads any more.
  assert.ok(!readFileSync(path).includes(key('unspent')));
  const store = open(path);
  for (const granted of [aLogin(), loginNamed('another')]) {
    assert.equal(await findLogin(store, granted), undefined);
  }
  for (const name of ['code', 'unspent']) {
    assert.equal(await findCode(store, name, 1), undefined);
  }
  assert.deepEqual(await store.list('client', club), [aClient()]);
  assert.notDeepEqual(await store.add('client', [aClient({ id: otherPartner })]), []);
  assert.deepEqual(await store.list('member', club), [aMember()]);
  assert.deepEqual(await store.list('signing_key', club), [aSigningKey('kid')]);
  // No key of before vouches for a token.
  assert.deepEqual(await store.list('token_key', club), []);
  assert.equal((await store.time()).recorded, at(50));
  await login(store);
  await store.close();
  // The replaced file is what it was.
  const replaced = open(`${path}.before-restore`);
  assert.equal((await replaced.list('client', club)).length, 2);
  await replaced.close();
});

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

withBackup('RFC 7523 3: no assertion that was used comes back', async (path, backup) => {
  const keep = async (jti: string, issuedAt: number): Promise<boolean> => {
    const store = open(path);
    const [from, until] = [instant(issuedAt), instant(issuedAt + 300_000)];
    const assertion = { programme: club, use: 'assertion', key: digest(jti), text: '' } as const;
    const isKept = await store.keepText({ ...assertion, issuedAt: from, until }, at(0));
    await store.close();
    return isKept;
  };
  assert.equal(await keep('used', Date.now()), true);
  await restoreStore(backup, path, staging);
  assert.equal(await keep('used', Date.now()), false);
  assert.equal(await keep('new', Date.now() + 120_000), true);
});

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
  await store.revoke(club, { tokenId: 'jti', expiresAt: at(1000) }, at(60));
  const newer = `${backup}.newer`;
  const { counts } = await backupStore(path, newer);
  assert.deepEqual([counts['login_attempt'], counts['node_lease']], [1, 1]);
  await store.close();
  const restored = await restoreStore(newer, path, staging);
  assert.deepEqual(Object.keys(restored.voided).toSorted(), [
    'code',
    'login',
    'spent_code',
    'token_key',
  ]);
  const after = open(path);
  assert.deepEqual(await begin(after), { allowed: true });
  assert.equal(await after.leaseNode(at(100), 'new'), 0);
  assert.equal(await after.isStanding(club, { tokenId: 'jti', expiresAt: at(1000) }), false);
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
