// HOSTILE 56: a master key that is not the one of the store beside it is noticed before it does harm.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';

import { jetway, jetwayJson, workFolder } from '../cli/command.ts';
import { serve, signingProgramme, startServer } from '../cli/server.ts';

const otherKey = `${Buffer.alloc(32, 9).toString('base64url')}\n`;

/** A folder with a store and its key, both made by the first command. */
async function standing(
  t: TestContext,
  programme?: string,
): Promise<{ folder: string; key: string }> {
  const files = programme === undefined ? {} : { 'programmes/club.yaml': programme };
  const folder = workFolder(t, files);
  await jetwayJson(folder, ['client', 'list']);
  return { folder, key: join(folder, 'data/master.key') };
}

function expected(folder: string, key = join(folder, 'data/master.key')): string {
  return `${key} is not the master key that the store ${join(folder, 'data/jetway.db')} was made with: put that one back from your backup, or name it (master_key_file, JETWAY_MASTER_KEY_FILE)\n`;
}

test('HOSTILE 56: with another master key every verb ends with 4, and says which file it read', async (t) => {
  const { folder, key } = await standing(t);
  const own = readFileSync(key);
  writeFileSync(key, otherKey);
  const refused = { code: 4, stdout: '', stderr: expected(folder) };
  const add = ['client', 'add', '--programme', 'club', '--name', 'Partner', '--role', 'partner'];
  for (const line of [['client', 'list'], add, ['serve']]) {
    assert.deepEqual(await jetway(folder, line), refused);
  }
  writeFileSync(key, own);
  assert.deepEqual(await jetwayJson(folder, ['client', 'list']), []);

  // Another file is named as the one that was read.
  const named = join(folder, 'named.key');
  writeFileSync(named, otherKey, { mode: 0o600 });
  writeFileSync(
    join(folder, 'config.yaml'),
    `${readFileSync(join(folder, 'config.yaml'), 'utf8')}master_key_file: ./named.key\n`,
  );
  const { code, stderr } = await jetway(folder, ['client', 'list']);
  assert.deepEqual([code, stderr], [4, expected(folder, named)]);
});

test('HOSTILE 56: a store from before the check tells by the key that it has sealed', async (t) => {
  const { folder, key } = await standing(t, signingProgramme);
  const { end } = await startServer(t, folder);
  assert.equal(await end('SIGTERM'), 0);
  const database = new DatabaseSync(join(folder, 'data/jetway.db'));
  database.exec(`DELETE FROM meta WHERE name = 'key_check'`);
  const kept = () => database.prepare(`SELECT value FROM meta WHERE name = 'key_check'`).all();
  const own = readFileSync(key);
  writeFileSync(key, otherKey);
  const { code, stderr } = await jetway(folder, ['client', 'list']);
  assert.deepEqual([code, stderr], [4, expected(folder)]);
  assert.deepEqual(kept(), []);
  writeFileSync(key, own);
  await serve(t, folder);
  assert.equal(kept().length, 1);
  database.close();
});
