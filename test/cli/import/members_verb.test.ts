// Owns the promises of `member import`: every kind of password, every fault at once, all or nothing.

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

  test('names every fault with its place, no secret, and imports nobody', async (t) => {
    const folder = workFolder(t);
    const secret = 'hunter2hunter2';
    putSecret(
      folder,
      'members.csv',
      `username,subject,level,membership_number,passwrd,password,bcrypt
ann,client:x,AUTHN-LEVEL-11,12a,,${secret},
ANN,,,,,${secret},${bcrypt}
,,,,,${secret},
dan,,,,,,
eve,,,,,,$2b$99$${secret}
fay,,,,,${secret}
gus,a b,,,,${'p'.repeat(1025)},
hal,twin,,,,${secret},
ida,twin,,,,${secret},
`,
    );
    const ran = await jetway(folder, importing);
    assert.deepEqual([ran.code, ran.stdout], [2, '']);
    assert.ok(!ran.stderr.includes(secret) && !ran.stderr.includes(bcrypt));
    assert.deepEqual(ran.stderr.trimEnd().split('\n'), [
      'members.csv:1:42: error: there is no column "passwrd" (did you mean "password"?)',
      'members.csv:2:5: error: subject begins with "client:", as the subjects of clients do',
      'members.csv:2:14: error: level "AUTHN-LEVEL-11" is none of club: expected one of AUTHN-LEVEL-10, AUTHN-LEVEL-12, AUTHN-LEVEL-15',
      'members.csv:2:29: error: membership_number must be digits, at most 24, not "12a"',
      'members.csv:3:1: error: "ANN" is in line 2 already',
      'members.csv:3:24: error: this member has password and bcrypt: one of them is enough',
      'members.csv:4:1: error: this member has no username',
      'members.csv:5:1: error: this member has none of password, argon2, bcrypt, pbkdf2',
      'members.csv:6:10: error: this is no bcrypt hash that is understood (expected $2b$, a cost of 04 to 14, and 53 characters)',
      'members.csv:7:1: error: this line has 6 values, but the header names 7 columns',
      'members.csv:8:5: error: subject must be 1 to 255 visible ASCII characters without spaces',
      'members.csv:8:12: error: password is longer than 1024 characters',
      'members.csv:10:5: error: "twin" is in line 9 already',
      'nothing is imported: 13 errors',
    ]);
    const list = await jetway(folder, ['member', 'list', '--json']);
    assert.deepEqual(JSON.parse(list.stdout), []);
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

  test('a subject can be as long as one that a hook answers with', async (t) => {
    const folder = workFolder(t);
    const rows = [255, 256].map((length) => `${'s'.repeat(length)},m${length},${bcrypt}`);
    const run = (row: string) => {
      putSecret(folder, 'members.csv', `subject,username,bcrypt\n${row}\n`);
      return jetway(folder, importing);
    };
    const [longest = '', longer = ''] = rows;
    assert.equal((await run(longest)).code, 0);
    const { code, stderr } = await run(longer);
    assert.deepEqual(
      [code, stderr.split('\n')[0]],
      [
        2,
        'members.csv:2:1: error: subject must be 1 to 255 visible ASCII characters without spaces',
      ],
    );
    const revoke = ['token', 'revoke', '--member', 's'.repeat(255)];
    assert.equal((await jetway(folder, revoke)).code, 0);
  });

  test('tells of a hash in the wrong column, and of a file without passwords', async (t) => {
    const folder = workFolder(t);
    const run = async (text: string): Promise<string> => {
      putSecret(folder, 'members.csv', text);
      const ran = await jetway(folder, importing);
      assert.deepEqual([ran.code, ran.stdout], [2, '']);
      return ran.stderr.split('\n')[0] ?? '';
    };
    assert.match(
      await run(`username,argon2\nann,${bcrypt}\n`),
      /:2:5: error: this is no argon2 hash that is understood \(it is one of bcrypt\)$/,
    );
    assert.match(
      await run('username,level\nann,\n'),
      /:1:1: error: there is no column with passwo/,
    );
  });

  test('one name that is taken keeps all of them out', async (t) => {
    const folder = workFolder(t);
    putSecret(folder, 'members.csv', 'username,subject,password\nann,s-1,one\n');
    putSecret(folder, 'more.csv', 'username,subject,password\nzed,,x\nAnn,,two\nbob,s-1,y\n');
    const [first, second, list] = await jetwayEach(folder, [
      importing,
      ['member', 'import', 'more.csv', '--programme', 'club'],
      ['member', 'list', '--json'],
    ]);
    assert.equal(first.code, 0);
    assert.deepEqual(second, {
      code: 1,
      stdout: '',
      stderr: `more.csv:3:1: error: the username "ann" is taken in club
more.csv:4:1: error: the subject "s-1" is taken in club
nothing is imported: 2 errors
`,
    });
    assert.equal((JSON.parse(list.stdout) as unknown[]).length, 1);
  });
});
