// Owns the promises of `member add` that its session (member.session) cannot show: what is kept of a password.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { checkPassword } from '../../src/members/password.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { findMember } from '../store/fixtures.ts';
import { jetway, workFolder } from './command.ts';

const add = ['member', 'add', '--programme', 'club', '--password-stdin', '--username'];
const password = 'correct horse bättery';

test('member add keeps a hash of the password, and the password nowhere', async (t) => {
  const folder = workFolder(t);
  assert.equal((await jetway(folder, [...add, 'ann'], `${password}\n`)).code, 0);
  const path = join(folder, 'data/jetway.db');
  const store = openFileStore({ path, environment: 'staging' });
  const kept = await findMember(store, 'club' as ProgrammeId, 'ann');
  assert.ok(await checkPassword(password, kept?.passwordHash ?? ''));
  for (const name of readdirSync(join(folder, 'data'))) {
    assert.ok(!readFileSync(join(folder, 'data', name)).includes(password), name);
  }
  await store.close();
});
