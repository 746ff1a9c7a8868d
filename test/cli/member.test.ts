// Owns the promises of `member`: how a member is added, what is refused, and what is never shown.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { checkPassword } from '../../src/members/password.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { findMember } from '../store/fixtures.ts';
import { jetway, jetwayEach, jetwayJson, programmeText, putSecret, workFolder } from './command.ts';

const add = ['member', 'add', '--programme', 'club', '--password-stdin', '--username'];
const password = 'correct horse bättery';

describe('member', { concurrency: 2 }, () => {
  test('add keeps a normalised username and a hash; list shows what is kept but for the hash', async (t) => {
    const folder = workFolder(t);
    const details = ['--level', 'AUTHN-LEVEL-12', '--membership-number', '1234567890123456'];
    const added = await jetwayJson(
      folder,
      [...add, ' ZO\u{cb}\u{200b}@Example.com ', ...details],
      `${password}\n`,
    );
    const listed = await jetway(folder, ['member', 'list', '--json']);
    const { subject, created_at, ...rest } = added as Record<string, string>;
    assert.match(subject ?? '', /^[\w-]{22}$/);
    assert.match(created_at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual(rest, {
      programme: 'club',
      username: 'zoë@example.com',
      level: 'AUTHN-LEVEL-12',
      membership_number: '1234567890123456',
      properties: {},
      status: 'active',
    });
    assert.deepEqual(JSON.parse(listed.stdout), [
      { ...(added as object), failed_logins: 0, locked_until: null },
    ]);

    const path = join(folder, 'data/jetway.db');
    const store = openFileStore({ path, environment: 'staging' });
    const kept = await findMember(store, 'club' as ProgrammeId, 'zoë@example.com');
    assert.ok(await checkPassword(password, kept?.passwordHash ?? ''));
    for (const name of readdirSync(join(folder, 'data'))) {
      assert.ok(!readFileSync(join(folder, 'data', name)).includes(password), name);
    }
    await store.close();

    const taken = await jetway(folder, [...add, 'Zo\u{eb}@EXAMPLE.com'], 'another one');
    assert.deepEqual(taken, {
      code: 1,
      stdout: '',
      stderr: 'the username "zoë@example.com" is taken in club\n',
    });
    const table = await jetway(folder, ['member', 'list', '--programme', 'club']);
    assert.equal(
      table.stdout
        .replace(subject ?? '', 'SUBJECT-OF-22-CHARACTR')
        .replace(created_at ?? '', 'TIME'),
      `PROGRAMME  USERNAME         SUBJECT                 LEVEL           MEMBERSHIP        STATUS  FAILED  LOCKED UNTIL  CREATED
club       zoë@example.com  SUBJECT-OF-22-CHARACTR  AUTHN-LEVEL-12  1234567890123456  active  0       -             TIME
`,
    );
  });

  test('add tells people the subject, and warns of a short number and a short password', async (t) => {
    const folder = workFolder(t);
    const ran = await jetway(
      folder,
      [...add, 'ann', '--membership-number', '00123'],
      'e\u0301\u{1f600}34567',
    );
    assert.equal(ran.code, 0);
    // As many characters as people see: 8 are enough.
    assert.equal((await jetway(folder, [...add, 'bob'], 'e\u0301\u{1f600}345678')).stderr, '');
    assert.match(ran.stdout, /^member "ann" is added to club; its subject is [\w-]{22}\n$/);
    assert.equal(
      ran.stderr,
      'warning: the password has 7 characters; with fewer than 8 it can be guessed\n' +
        'warning: the membership number has 5 digits; partners expect 16 to 24\n',
    );
  });

  test('P-15: a number that a grant answers with and refuses is warned of', async (t) => {
    const partner = `variant: partner-login
name: Club
programme_identifier: Club
base_path: /club
token_endpoints: { refresh: { path: /secure/token, inputs: { username: {}, password: {} } } }
grants: { password: { endpoint: refresh, role: member } }
`;
    const folder = workFolder(t, { 'programmes/club.yaml': partner });
    putSecret(folder, 'members.csv', `username,password,membership_number\ncid,${password},123\n`);
    const told =
      'the member has no membership number of 16 to 24 digits: club answers password with it, and refuses members without\n';
    const set = ['member', 'set', 'ann', '--membership-number'];
    const ran = [
      await jetway(folder, [...add, 'ann'], password),
      await jetway(folder, [...set, '123456789012345']),
      await jetway(folder, [...set, '1234567890123456']),
      await jetway(folder, [...add, 'bob', '--membership-number', '1'.repeat(24)], password),
      await jetway(folder, ['member', 'import', 'members.csv', '--programme', 'club']),
    ];
    assert.deepEqual(
      ran.map(({ code, stderr }) => [code, stderr]),
      [
        [0, `warning: ${told}`],
        [0, `warning: ${told}`],
        [0, ''],
        [0, ''],
        [0, `members.csv:2:27: warning: ${told}`],
      ],
    );
  });

  test('add names everything that is wrong at once, before it reads a password', async (t) => {
    const folder = workFolder(t);
    const options = ['--level', 'AUTHN-LEVEL-11', '--membership-number', '12a'];
    const ran = await jetway(folder, [...add, ' \u{200b} ', ...options]);
    assert.deepEqual([ran.code, ran.stdout], [2, '']);
    assert.deepEqual(ran.stderr.trimEnd().split('\n'), [
      '--username is empty',
      '--level "AUTHN-LEVEL-11" is none of club: expected one of AUTHN-LEVEL-10, AUTHN-LEVEL-12, AUTHN-LEVEL-15',
      '--membership-number must be digits, at most 24, not "12a"',
    ]);
    assert.deepEqual(readdirSync(folder).toSorted(), ['config.yaml', 'programmes']);
  });

  test('add refuses a username that is too long or cannot be read, and levels where there are none', async (t) => {
    const folder = workFolder(t, {
      'programmes/plain.yaml': programmeText(
        'Plain',
        'scope: { kind: list, values: [], client: null, member_default: null }\n',
      ),
    });
    const [long, hidden, levels] = await jetwayEach(folder, [
      [...add, 'a'.repeat(201)],
      [...add, 'a\u{7}b'],
      [...add, 'ann', '--programme', 'plain', '--level', 'a'],
    ]);
    assert.equal(long.stderr, '--username is longer than 200 characters\n');
    assert.equal(hidden.stderr, '--username holds characters that cannot be seen\n');
    assert.equal(levels.stderr, '--level must be left out: members of plain have no levels\n');
    assert.deepEqual([long.code, hidden.code, levels.code], [2, 2, 2]);
  });

  test('add refuses an empty password, one that is too long, and none at all', async (t) => {
    const folder = workFolder(t);
    const [empty, long, none] = await Promise.all([
      jetway(folder, [...add, 'ann'], '\n'),
      jetway(folder, [...add, 'ann'], 'p'.repeat(1025)),
      jetway(folder, ['member', 'add', '--programme', 'club', '--username', 'ann']),
    ]);
    assert.equal(empty.stderr, 'the password on standard input is empty\n');
    assert.equal(long.stderr, 'the password is longer than 1024 characters\n');
    assert.match(none.stderr, /required option '--password-stdin' not specified/);
    assert.deepEqual([empty.code, long.code, none.code], [2, 2, 2]);
  });
});
