// Owns tests of copying a store under load, and of telling what is in a file.

import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { verifyFile } from '../../../../src/store/sqlite/file/read.ts';
import { schemaVersion } from '../../../../src/store/sqlite/schema.ts';
import { killedWriter, saidWhole, startChild } from '../../children.ts';
import { withFile } from '../../file_directory.ts';
import {
  aClient,
  aCode,
  aMember,
  at,
  club,
  inParallel,
  loginNamed,
  partner,
} from '../../fixtures.ts';
import { findLogin } from '../../login.ts';
import { backupStore, isUnusable, open } from '../../restore_fixture.ts';

withFile(
  'FAULTS 8: a backup under load holds all that was answered before it',
  async (path, directory) => {
    await open(path).close();
    const child = await startChild();
    try {
      child.ask('write', path, 'writer').catch(() => undefined);
      for (let round = 1; round <= 3; round += 1) {
        await child.saying(round * 5000);
        const acknowledged = saidWhole(child);
        const target = `${directory}/backup ${round}.db`;
        const report = await backupStore(path, target);
        assert.deepEqual(report.damage, []);
        assert.equal(statSync(target).mode & 0o777, 0o600);
        assert.ok(report.counts['login']! >= acknowledged.length);
        const copy = open(target);
        const found = await inParallel(acknowledged.length, (n) =>
          findLogin(copy, loginNamed(acknowledged[n]!)),
        );
        assert.ok(found.every((login) => login !== undefined));
        await copy.close();
      }
      // It was written to all the while.
      await child.saying(child.said().length + 1);
    } finally {
      await child.kill();
    }
    assert.deepEqual(readdirSync(directory).toSorted(), [
      'backup 1.db',
      'backup 2.db',
      'backup 3.db',
      'data',
    ]);
  },
);

withFile(
  'FAULTS 8: a backup is one file, and the store stays as it is',
  async (path, directory) => {
    const store = open(path);
    await store.add('client', [aClient()]);
    await store.add('member', [aMember()]);
    await store.issueCode(aCode());
    await store.time(at(9));
    const target = `${directory}/copy.db`;
    const report = await backupStore(path, target);
    assert.deepEqual(readdirSync(directory).toSorted(), ['copy.db', 'data']);
    assert.deepEqual(report, await verifyFile(target));
    assert.deepEqual(report, {
      path: target,
      size: statSync(target).size,
      schema: schemaVersion,
      environment: 'staging',
      createdAt: '2026-01-01T00:00:00.000Z',
      recordedTime: at(9),
      counts: {
        audit_stream: 0,
        client: 1,
        code: 1,
        finished_login: 0,
        gateway: 0,
        identity_key: 0,
        kept_text: 0,
        known_code: 1,
        login: 0,
        login_attempt: 0,
        look_up: 3,
        maintenance: 0,
        member: 1,
        node_lease: 0,
        removed: 0,
        revocation: 0,
        revoked_token: 0,
        secret_use: 0,
        signing_key: 0,
        token_key: 0,
      },
      damage: [],
    });
    assert.deepEqual(await store.find('client', club, partner), aClient());
    await store.close();
  },
);

withFile('FAULTS 8: a backup replaces nothing unless it is told to', async (path, directory) => {
  const store = open(path);
  const target = `${directory}/copy.db`;
  writeFileSync(target, 'precious');
  await assert.rejects(backupStore(path, target), isUnusable(/is there already/));
  assert.equal(readFileSync(target, 'utf8'), 'precious');
  await backupStore(path, target, { overwrite: true });
  assert.equal((await verifyFile(target)).environment, 'staging');
  await assert.rejects(
    backupStore(path, path, { overwrite: true }),
    isUnusable(/is the store itself/),
  );
  const other = open(`${directory}/other.db`);
  const overOther = backupStore(path, `${directory}/other.db`, { overwrite: true });
  await assert.rejects(overOther, isUnusable(/it is a store, not a backup/));
  await Promise.all([store.close(), other.close()]);
});

withFile('FAULTS 6: what is damaged is not backed up', async (path, directory) => {
  await killedWriter(path, 3000);
  for (const suffix of ['', '-wal', '-shm']) copyFileSync(path + suffix, `${path}.bad${suffix}`);
  const bytes = readFileSync(`${path}-wal`);
  bytes[8000]! ^= 1;
  writeFileSync(`${path}.bad-wal`, bytes);
  const target = `${directory}/copy.db`;
  await assert.rejects(backupStore(`${path}.bad`, target), isUnusable(/is damaged: its log/));
  await assert.rejects(verifyFile(`${path}.bad`), isUnusable(/is damaged: its log/));
  assert.deepEqual(readFileSync(`${path}.bad-wal`), bytes);
  await open(path).close();
  const database = new DatabaseSync(path);
  const first = '(SELECT min(place) FROM login)';
  database.exec(`UPDATE login SET subject = subject || 'x' WHERE place = ${first}`);
  database.close();
  const [damage] = (await verifyFile(path)).damage;
  assert.match(damage ?? '', /rows do not fit their checksums: 1 of login/);
  await assert.rejects(backupStore(path, target), isUnusable(/1 of login/));
  assert.equal(existsSync(target), false);
  assert.deepEqual(readdirSync(directory), ['data']);
});

withFile('DESIGN: verifying looks and touches nothing', async (path) => {
  const store = open(path);
  await store.startLogin(loginNamed('one'));
  assert.equal((await verifyFile(path)).counts['login'], 1);
  await store.startLogin(loginNamed('more'));
  assert.equal((await verifyFile(path)).counts['login'], 2);
  await store.close();
  const before = readFileSync(path);
  assert.equal((await verifyFile(path)).counts['login'], 2);
  assert.deepEqual(readFileSync(path), before);
  assert.deepEqual(readdirSync(dirname(path)), ['jetway.db']);
  await assert.rejects(verifyFile(`${path}.none`), isUnusable(/there is no file/));
  writeFileSync(`${path}.text`, 'not a database at all\n'.repeat(500));
  await assert.rejects(verifyFile(`${path}.text`), isUnusable(/is not a database/));
});
