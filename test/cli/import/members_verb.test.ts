// Owns the promises of `member import`: every kind of file and password. What it refuses is in
// members_verb.session.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { checkPassword } from '../../../src/members/password.ts';
import type { ProgrammeId } from '../../../src/oauth/client.ts';
import { openFileStore } from '../../../src/store/sqlite/store.ts';
import { findMember } from '../../store/fixtures.ts';
import { jetway, jetwayEach, putSecret, workFolder } from '../command.ts';

const importing = ['member', 'import', 'members.csv', '--programme', 'club'];
const bcrypt = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
const argon2 =
  '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
const pbkdf2 = `pbkdf2_sha256$80000$NaCl$${Buffer.from(
  '4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56',
  'hex',
).toString('base64')}`;

const good = `username,subject,level,membership_number,password,bcrypt,argon2,pbkdf2,property.tier
 ANN ,,AUTHN-LEVEL-12,1234567890123456,correct horse,,,,gold
bob,bob-1,,,,${bcrypt},,,
cid,,,,,,"${argon2}",,
dan,,,,,,,${pbkdf2},
`;

describe('member import', { concurrency: 2 }, () => {
  test('HOSTILE 89: reads what Excel writes, and refuses what it would have to guess', async (t) => {
    const folder = workFolder(t);
    const excel = [
      '\ufeffusername;password;level;;',
      'ann;semi;colon;;',
      '"Zoë";"two, ""words""";;;',
      ';;;;',
    ];
    putSecret(folder, 'members.csv', excel.join('\r\n'));
    const wrong = await jetway(folder, importing);
    assert.match(wrong.stderr, /members\.csv:2:\d+: error: .*\nnothing is imported: 1 error\n$/);
    putSecret(folder, 'members.csv', excel.join('\r\n').replace('semi;colon', 'semi colon;'));
    const made = await jetway(folder, importing);
    assert.deepEqual(
      [made.stdout, made.stderr, made.code],
      ['2 members are imported into club\n', '', 0],
    );
    const [header = '', ...rows] = excel;
    putSecret(folder, 'members.csv', [header, ...rows].join('\r\n').replace(';level', ';;level'));
    assert.match(
      (await jetway(folder, importing)).stderr,
      /members\.csv:1:\d+: error: there is no column ""/,
    );
    writeFileSync(join(folder, 'members.csv'), Buffer.from(excel.join('\r\n'), 'latin1'));
    const latin = await jetway(folder, importing);
    assert.match(
      latin.stderr,
      /members\.csv:3:4: error: the character U\+FFFD .*save the file as UTF-8/,
    );
  });

  test('takes plain passwords and hashes made elsewhere, and is good to run again', async (t) => {
    const folder = workFolder(t);
    putSecret(folder, 'members.csv', good);
    const [dry, made, again, list] = await jetwayEach(folder, [
      [...importing, '--dry-run'],
      importing,
      [...importing, '--json'],
      ['member', 'list', '--json'],
    ]);
    assert.deepEqual(
      [dry.stdout, made.stdout].map((text) => text.trim()),
      [
        '4 members would be imported into club; nothing is written',
        '4 members are imported into club',
      ],
    );
    const weak =
      'members.csv:5:11: warning: this pbkdf2 hash has fewer than 100000 iterations (who steals the store guesses them until their members have logged in once)\n';
    assert.deepEqual([dry.stderr, made.stderr, again.stderr], [weak, weak, weak]);
    assert.deepEqual(JSON.parse(again.stdout), {
      programme: 'club',
      imported: 0,
      unchanged: 4,
      dry_run: false,
    });
    const listed = JSON.parse(list.stdout) as { username: string; subject: string }[];
    assert.deepEqual(
      listed.map(({ username }) => username),
      ['ann', 'bob', 'cid', 'dan'],
    );
    assert.equal(listed[1]?.subject, 'bob-1');

    const store = openFileStore({ path: join(folder, 'data/jetway.db'), environment: 'staging' });
    const passwords = { ann: 'correct horse', bob: 'U*U', cid: 'password', dan: 'Password' };
    for (const [username, password] of Object.entries(passwords)) {
      const kept = await findMember(store, 'club' as ProgrammeId, username);
      assert.equal(await checkPassword(password, kept?.passwordHash ?? ''), true, username);
    }
    const ann = await findMember(store, 'club' as ProgrammeId, 'ann');
    assert.deepEqual(
      [ann?.level, ann?.membershipNumber, ann?.properties],
      ['AUTHN-LEVEL-12', '1234567890123456', { tier: 'gold' }],
    );
    await store.close();
  });

  test('pbkdf2 has a floor, and one warning for all that are close to it', async (t) => {
    const folder = workFolder(t);
    const tag = 'x'.repeat(43);
    const counts = [999, 10_000_001, 1000, 99_999, 100_000];
    const kinds = [
      (count: number) => `pbkdf2_sha512$${count}$salt$${tag}`,
      (count: number) => `$pbkdf2-sha256$i=${count}$c2FsdA$${tag}`,
      (count: number) => `$pbkdf2$${count}$c2FsdA$${tag}`,
    ];
    for (const kind of kinds) {
      const rows = counts.map((count, index) => `member-${index},${kind(count)}`);
      const run = (some: readonly string[]) => {
        putSecret(folder, 'members.csv', ['username,pbkdf2', ...some, ''].join('\n'));
        return jetway(folder, [...importing, '--dry-run']);
      };
      const refused = await run(rows.slice(0, 2));
      assert.deepEqual(refused.stderr.split('\n').slice(0, 2), [
        'members.csv:2:10: error: this pbkdf2 hash has 999 iterations: expected 1000 to 10000000',
        'members.csv:3:10: error: this pbkdf2 hash has 10000001 iterations: expected 1000 to 10000000',
      ]);
      assert.equal(refused.code, 2);
      const warned = await run(rows.slice(2));
      assert.equal(warned.code, 0);
      assert.match(
        warned.stderr,
        /^members\.csv:2:10: warning: this pbkdf2 hash has fewer than 100000 iterations, and so have 1 more below \([^\n]*\n$/,
      );
    }
  });
});
