// Owns tests of migrating a store file as a whole: the result, the kept copy, refusals, and a kill on the way.

import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { allDamage } from '../../../../src/store/sqlite/care/check.ts';
import { copyBefore } from '../../../../src/store/sqlite/file/migrate.ts';
import { schemaVersion } from '../../../../src/store/sqlite/schema.ts';
import { openFileStore } from '../../../../src/store/sqlite/store.ts';
import { StoreUnusable } from '../../../../src/store/unusable.ts';
import { without } from '../../../support/tools.ts';
import { aClient, club, partner } from '../../fixtures.ts';
import { findAccess } from '../../login.ts';
import { traced } from '../../strace.ts';
import { edit, openStaging, withOlder } from './older_file.ts';

const versionOf = (database: DatabaseSync): unknown =>
  database.prepare('PRAGMA user_version').get()?.['user_version'];

const tablesOf = (database: DatabaseSync): unknown =>
  database.prepare('SELECT name, sql FROM sqlite_master ORDER BY name').all();

/** All rows of all tables. */
function rowsOf(database: DatabaseSync): unknown {
  const names = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all();
  return names.map(({ name }) => database.prepare(`SELECT * FROM ${String(name)}`).all());
}

function inspect<T>(path: string, look: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return look(database);
  } finally {
    database.close();
  }
}

withOlder(
  'FAULTS 26: schemas 1 to 4 are refused, and the hint says how to migrate them',
  async (path) => {
    for (const version of [1, 4]) {
      edit(path, (older) => {
        older.exec(`PRAGMA user_version = ${version}; PRAGMA wal_checkpoint(TRUNCATE)`);
      });
      const before = readFileSync(path);
      assert.throws(
        () => openStaging(path),
        (error) =>
          error instanceof StoreUnusable &&
          error.message.endsWith(
            `has schema ${version}; this Jetway knows schema 6 and brings schema 5 up to it`,
          ) &&
          error.hint === 'open it once with the Jetway that wrote schema 5, then with this one',
      );
      assert.deepEqual(readFileSync(path), before);
    }
  },
);

withOlder(
  'FAULTS 26: the migrated file has the schema of a new file, and the kept copy has the old rows',
  async (path) => {
    const before = inspect(path, rowsOf);
    await openStaging(path).close();
    const copy = copyBefore(path, schemaVersion);
    assert.deepEqual(readdirSync(dirname(path)), ['jetway.db', basename(copy)]);
    await openStaging(`${path}.fresh`).close();
    assert.deepEqual(inspect(path, tablesOf), inspect(`${path}.fresh`, tablesOf));
    assert.deepEqual(inspect(path, versionOf), schemaVersion);
    assert.deepEqual(inspect(path, allDamage), []);
    assert.equal(inspect(copy, versionOf), 5);
    assert.deepEqual(inspect(copy, rowsOf), before);
    assert.equal(statSync(copy).mode & 0o777, 0o600);
  },
);

withOlder('C-3: a file of another environment is refused before it is migrated', async (path) => {
  const before = readFileSync(path);
  const open = (): unknown => openFileStore({ path, environment: 'live' });
  assert.throws(open, /belongs to environment staging/);
  assert.deepEqual(readFileSync(path), before);
  assert.equal(existsSync(`${path}.before-schema-6`), false);
});

withOlder(
  'FAULTS 26: a file that an older Jetway has open is refused, and migrated later',
  async (path) => {
    const older = new DatabaseSync(path);
    versionOf(older);
    assert.throws(
      () => openStaging(path),
      (error) =>
        error instanceof StoreUnusable && /is in use by another process/.test(error.message),
    );
    assert.equal(versionOf(older), 5);
    older.close();
    await openStaging(path).close();
  },
);

withOlder(
  'FAULTS 26: killed at any write, the file is wholly of schema 5 or wholly of schema 6',
  async (path) => {
    const pristine = `${path}.pristine`;
    copyFileSync(path, pristine);
    const writes = ['-e', 'trace=pwrite64,fdatasync,fsync,rename'];
    const all = await traced(writes, './opener.ts', [path]);
    assert.equal(all.stdout, 'opened\n');
    const count = all.calls.filter((call) => call.includes('pwrite64')).length;
    assert.ok(count > 20, `${count} writes`);
    const seen = new Set<unknown>();
    for (let n = 1; n <= count; n += Math.ceil(count / 14)) {
      for (const suffix of ['', '-wal', '-shm', '.before-schema-6']) {
        rmSync(path + suffix, { force: true });
      }
      copyFileSync(pristine, path);
      const kill = ['-e', 'trace=pwrite64', '-e', `inject=pwrite64:signal=KILL:when=${n}`];
      const { stdout } = await traced(kill, './opener.ts', [path]);
      assert.equal(stdout.includes('opened') && n < count / 2, false);
      seen.add(inspect(path, versionOf));
      const store = openStaging(path);
      assert.deepEqual(
        await store.find('client', club, partner),
        aClient(),
        `killed at write ${n}`,
      );
      assert.ok(await findAccess(store, 'access live', 1));
      await store.close();
      assert.deepEqual(inspect(path, allDamage), []);
    }
    // A killed process leaves its draft; the next migration removes it.
    const drafts = readdirSync(dirname(path)).filter((name) => name.endsWith('.new'));
    assert.ok(drafts.length <= 1, drafts.join(', '));
    assert.ok(seen.has(5) && seen.has(schemaVersion), `ended with schema ${[...seen].join(', ')}`);
  },
  without('strace'),
);
