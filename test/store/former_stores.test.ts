// FAULTS 26: stores as another version wrote them are refused by name, and never read as damaged or empty;
// nothing in them is changed.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { storeAt, type StoreSite } from '../../src/store/open.ts';
import { schemaVersion } from '../../src/store/sqlite/schema.ts';
import { StoreUnusable } from '../../src/store/unusable.ts';
import { configText, jetway, programmeText, workFolder } from '../cli/command.ts';
import { scratchFolder } from '../support/scratch.ts';
import { without } from '../support/tools.ts';
import { execute, withFile } from './file_directory.ts';
import { postgresScene } from './postgres/scratch.ts';

function formerText(name: string): string {
  return readFileSync(join(import.meta.dirname, 'former', name), 'utf8');
}

function makeFormerFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  process.umask(0o077);
  execute(path, `PRAGMA journal_mode = WAL; ${formerText('file_9.sql')}`);
}

async function expectRefused(what: Promise<unknown> | undefined, words: RegExp): Promise<void> {
  assert.ok(what);
  await assert.rejects(what, (error) => {
    assert.ok(error instanceof StoreUnusable, String(error));
    assert.match(error.message, words);
    assert.match(error.hint, /run the Jetway that (?:wrote|has made) it/);
    return true;
  });
}

/** Every way in. */
async function expectNoWayIn(site: StoreSite, words: RegExp, folder: string): Promise<void> {
  const { care, move } = site;
  await expectRefused(site.open({ environment: 'staging' }), words);
  await expectRefused(site.open({ environment: 'staging', onFatal: () => undefined }), words);
  await expectRefused(
    Promise.resolve().then(() => care?.verify()),
    words,
  );
  await expectRefused(care?.backup(join(folder, 'backup.db')), words);
  await expectRefused(move?.leave(), words);
}

withFile('FAULTS 26: a store file of a former version is refused by name', async (path, folder) => {
  makeFormerFile(path);
  const before = readFileSync(path);
  const words = /has schema 9; this Jetway knows schema \d+$/;
  await expectNoWayIn(storeAt({ kind: 'file', path }), words, folder);
  // As a backup, too.
  const other = storeAt({ kind: 'file', path: join(folder, 'other.db') });
  await expectRefused(other.care?.restore(path, 'staging'), words);
  assert.deepEqual(readFileSync(path), before);
  assert.deepEqual(readdirSync(dirname(path)), ['jetway.db']);
});

describe('of PostgreSQL', { skip: without('postgres') }, () => {
  test('FAULTS 26: the tables of a former version are refused by name', async (t) => {
    const { location, query } = await postgresScene(t);
    await query(formerText('postgres_2.sql').replaceAll('former_schema', location.schema));
    const words = /has schema 2; this Jetway knows schema \d+$/;
    const folder = scratchFolder(t, 'former');
    await expectNoWayIn(storeAt(location), words, folder);
    await expectRefused(storeAt(location).care?.restoreInPlace?.('staging'), words);
    assert.deepEqual(await query('SELECT count(*) AS n FROM meta'), [{ n: '5' }]);
  });
});

for (const [which, version, way] of [
  ['newer', schemaVersion + 1, /newer/],
  ['older', schemaVersion - 1, /move it away/],
] as const) {
  test(`FAULTS 26: commands refuse a store of a schema that is ${which} with exit code 4`, async (t) => {
    const folder = workFolder(t, {
      'config.yaml': configText,
      'programmes/club.yaml': programmeText('Club'),
    });
    const path = join(folder, 'data/jetway.db');
    await jetway(folder, ['client', 'list']);
    execute(path, `PRAGMA user_version = ${version}; PRAGMA wal_checkpoint(TRUNCATE)`);
    const before = readFileSync(path);
    for (const verb of [['client', 'list'], ['store', 'backup', 'copy.db'], ['serve']]) {
      const { code, stdout, stderr } = await jetway(folder, verb);
      assert.deepEqual([code, stdout], [4, ''], verb.join(' '));
      assert.match(stderr, new RegExp(`has schema ${version}; this Jetway knows schema \\d+: `));
      assert.ok(stderr.includes(path), stderr);
      assert.match(stderr, way);
    }
    assert.deepEqual(readFileSync(path), before);
  });
}
