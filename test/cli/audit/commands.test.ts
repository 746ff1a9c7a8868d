// What commands tell the audit stream that a session (changes.session) cannot show.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { eventNames } from '../../../src/audit/event.ts';
import { kindNames } from '../../../src/store/kinds.ts';
import { jetway, jetwayJson, jetwayWith, workFolder } from '../command.ts';

const add = ['client', 'add', '--programme', 'club', '--name', 'Blue', '--role', 'partner'];

test('a kind of registered thing has events for each change', () => {
  const names = kindNames.flatMap((kind) =>
    ['added', 'changed', 'removed'].map((what) => `${kind}_${what}`),
  );
  assert.deepEqual(
    names.filter((name) => !eventNames.some((one) => one === name)),
    [],
  );
});

test('who became the user that ran it', async (t) => {
  const folder = workFolder(t);
  await jetwayWith(folder, { SUDO_USER: 'olga' }, add);
  const [, begun = ''] = readFileSync(join(folder, 'data/audit.jsonl'), 'utf8').split('\n');
  assert.equal((JSON.parse(begun) as Record<string, unknown>)['sudo_user'], 'olga');
});

test('FAULTS 27: a command waits for other writers, and names the reason where one keeps the file', async (t) => {
  const folder = workFolder(t);
  const { client_id: id } = (await jetwayJson(folder, add)) as { readonly client_id: string };
  const holder = new DatabaseSync(join(folder, 'data/audit.jsonl.lock'));
  holder.exec('BEGIN IMMEDIATE');
  const path = join(folder, 'data/audit.jsonl');
  assert.deepEqual(await jetway(folder, ['client', 'disable', id]), {
    code: 1,
    stdout: '',
    stderr: `nothing was changed: the audit stream ${path} cannot be written (another process keeps it locked)\n`,
  });
  holder.close();
  assert.equal((await jetway(folder, ['client', 'disable', id])).code, 0);
});
