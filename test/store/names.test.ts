// Owns tests of a store file that is taken away or replaced under a running store (FAULTS 7).

import assert from 'node:assert/strict';
import { copyFileSync, renameSync, rmSync } from 'node:fs';

import { Unavailable } from '../../src/oauth/failure.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { withFile } from './file_directory.ts';
import { loginNamed } from './fixtures.ts';
import { findLogin } from './login.ts';

const cases: readonly (readonly [string, RegExp, (path: string) => void])[] = [
  ['the file is removed', /jetway\.db was removed or replaced/, (path) => rmSync(path)],
  ['its log is removed', /jetway\.db-wal was removed/, (path) => rmSync(`${path}-wal`)],
  ['the log’s index is removed', /jetway\.db-shm was removed/, (path) => rmSync(`${path}-shm`)],
  ['the file is moved', /jetway\.db was removed/, (path) => renameSync(path, `${path}.old`)],
  [
    'another is put in its place',
    /jetway\.db was removed or replaced/,
    (path) => {
      copyFileSync(`${path}.copy`, `${path}.draft`);
      renameSync(`${path}.draft`, path);
    },
  ],
  [
    'all is removed',
    /jetway\.db, .*-wal, .*-shm was removed/,
    (path) => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix);
    },
  ],
];

for (const [name, message, harm] of cases) {
  withFile(`FAULTS 7: ${name}: the store ends and says so`, async (path) => {
    const told: string[] = [];
    const onFatal = (reason: Unavailable): void => void told.push(reason.message);
    await openFileStore({ path: `${path}.copy`, environment: 'staging' }).close();
    const store = openFileStore({ path, environment: 'staging', onFatal });
    await store.startLogin(loginNamed('before'));
    assert.deepEqual(store.health(), { status: 'ready' });
    harm(path);
    // SQLite notices nothing: until somebody looks, it says that this is saved.
    await store.startLogin(loginNamed('lost'));
    const rejected = assert.rejects(store.startLogin(loginNamed('queued')), Unavailable);
    const health = store.health();
    assert.equal(health.status, 'unusable');
    assert.match(health.detail, message);
    await rejected;
    await assert.rejects(findLogin(store, loginNamed('before')), Unavailable);
    await assert.rejects(store.startLogin(loginNamed('after')), message);
    assert.equal(store.health().status, 'unusable');
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', message);
    await store.close();
  });
}
