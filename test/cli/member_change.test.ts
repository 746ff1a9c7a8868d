// Owns the promises of `member set`, `disable`, `enable`, `unlock` and `remove`.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import { openStore, withStore } from '../../src/cli/open_store.ts';
import { readConfig } from '../../src/config/config.ts';
import { instant, milliseconds } from '../../src/lib/clock.ts';
import { checkPassword } from '../../src/members/password.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import { findMember } from '../store/fixtures.ts';
import { jetway, jetwayEach, programmeText, putSecret, workFolder } from './command.ts';

const club = 'club' as ProgrammeId;
const list = ['member', 'list', '--json'];

async function folderWith(t: TestContext, text: string): Promise<string> {
  const folder = workFolder(t);
  putSecret(folder, 'members.csv', `username,subject,level,membership_number,password\n${text}`);
  const ran = await jetway(folder, ['member', 'import', 'members.csv', '--programme', 'club']);
  assert.equal(ran.code, 0, ran.stderr);
  return folder;
}

const ann = 'ann,s-ann,AUTHN-LEVEL-12,1234567890123456,one\n';

function without(text: string): Record<string, unknown> {
  const { created_at: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return rest;
}

const whole = {
  subject: 's-ann',
  programme: 'club',
  username: 'ann',
  level: 'AUTHN-LEVEL-12',
  membership_number: '1234567890123456',
  properties: {},
  status: 'active',
};

describe('member set and its like', { concurrency: 2 }, () => {
  test('set changes what is named and leaves the rest', async (t) => {
    const folder = await folderWith(t, ann);
    const set = ['member', 'set', '--json'];
    const [renamed, stripped, levelled] = await jetwayEach(folder, [
      [...set, ' ANN', '--username', 'Anne', '--membership-number', '6543210987654321'],
      [...set, 's-ann', '--no-level', '--no-membership-number'],
      [...set, 'anne', '--level', 'AUTHN-LEVEL-15'],
    ]);
    assert.deepEqual(without(renamed.stdout), {
      ...whole,
      username: 'anne',
      membership_number: '6543210987654321',
    });
    const bare = { ...whole, username: 'anne', level: null, membership_number: null };
    assert.deepEqual(without(stripped.stdout), bare);
    assert.deepEqual(without(levelled.stdout), { ...bare, level: 'AUTHN-LEVEL-15' });

    const changed = await jetway(folder, ['member', 'set', 'anne', '--password-stdin'], 'two\n');
    assert.equal(changed.code, 0);
    assert.match(changed.stdout, /^ {2}username {3}anne\n {2}programme {2}club\n/);
    await withStore(readConfig(join(folder, 'config.yaml')), async ({ store }) => {
      const hash = (await findMember(store, club, 'anne'))?.passwordHash ?? '';
      assert.deepEqual(
        [await checkPassword('two', hash), await checkPassword('one', hash)],
        [true, false],
      );
    });
  });

  test('set gives properties and takes them away', async (t) => {
    const folder = await folderWith(t, ann);
    const set = ['member', 'set', 'ann', '--json'];
    const [given, changed, shown, emptied, twice, unknown] = await jetwayEach(folder, [
      [...set, '--property', 'tier=gold', 'home=LHR=1'],
      [...set, '--property', 'tier=silver', '--remove-property', 'home'],
      ['member', 'show', 'ann', '--json'],
      [...set, '--remove-property', 'tier'],
      [...set, '--property', 'tier=gold', 'tier=silver'],
      [...set, '--remove-property', 'home'],
    ]);
    const expect = ({ stdout }: { stdout: string }, properties: object): void =>
      assert.deepEqual((JSON.parse(stdout) as typeof whole).properties, properties);
    expect(given, { tier: 'gold', home: 'LHR=1' });
    expect(changed, { tier: 'silver' });
    expect(shown, { tier: 'silver' });
    expect(emptied, {});
    assert.deepEqual([twice.code, twice.stderr], [2, '--property "tier" is given twice\n']);
    assert.match(unknown.stderr, /has no property "home"/);
  });

  test('set refuses what cannot be, and changes nothing', async (t) => {
    const folder = await folderWith(t, `${ann}bob,,,,two\n`);
    const set = ['member', 'set', 'ann'];
    const [slips, level, taken, after] = await jetwayEach(folder, [
      [...set, '--username', '\u200b', '--membership-number', 'x'],
      [...set, '--level', 'AUTHN-LEVEL-11'],
      [...set, '--username', 'BOB', '--no-level'],
      list,
    ]);
    assert.deepEqual(
      [slips, level, taken].map(({ code, stderr }) => [code, stderr.trimEnd()]),
      [
        [2, '--username is empty\n--membership-number must be digits, at most 24, not "x"'],
        [
          2,
          '--level "AUTHN-LEVEL-11" is none of club: expected one of AUTHN-LEVEL-10, AUTHN-LEVEL-12, AUTHN-LEVEL-15',
        ],
        [1, 'the username "bob" is taken in club'],
      ],
    );
    const [first] = JSON.parse(after.stdout) as unknown[];
    const logins = { failed_logins: 0, locked_until: null };
    assert.deepEqual(without(JSON.stringify(first)), { ...whole, ...logins });
  });

  test('remove asks for --yes, and then there is nobody', async (t) => {
    const folder = await folderWith(t, ann);
    const [asked, removed, gone, after] = await jetwayEach(folder, [
      ['member', 'remove', 'ann'],
      ['member', 'remove', 'ann', '--yes', '--json'],
      ['member', 'remove', 'ann', '--yes'],
      list,
    ]);
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /would be gone for good, .*: add --yes if you mean it\n$/);
    assert.deepEqual(JSON.parse(removed.stdout), {
      programme: 'club',
      username: 'ann',
      subject: 's-ann',
      removed: true,
    });
    assert.deepEqual([gone.code, gone.stderr], [1, 'there is no member "ann"\n']);
    assert.deepEqual(JSON.parse(after.stdout), []);
  });

  test('unlock ends the lock of a name, whoever has it, in the programmes where it is locked', async (t) => {
    const folder = workFolder(t, {
      'programmes/club.yaml': programmeText('Club'),
      'programmes/other.yaml': programmeText('Other'),
    });
    const policy = { attempts: 1, window: milliseconds(60_000), lock: milliseconds(60_000) };
    const open = await openStore(readConfig(join(folder, 'config.yaml')));
    const account = open.keyring.accountDigest('ann');
    const attempt = (): Promise<{ readonly allowed: boolean }> =>
      open.store.reserveAttempt(club, account, policy, instant(Date.now()));
    assert.equal((await attempt()).allowed, true);
    assert.equal((await attempt()).allowed, false);
    const unlock = ['member', 'unlock', ' Ann '];
    const [elsewhere, done, again, empty] = await jetwayEach(folder, [
      [...unlock, '--programme', 'other'],
      unlock,
      [...unlock, '--json'],
      ['member', 'unlock', '\u200b'],
    ]);
    // The server that counts is another process than the one that unlocks.
    assert.equal((await attempt()).allowed, true);
    await open.store.close();
    assert.equal(elsewhere.stdout, 'the username "ann" has no failed attempts to forget\n');
    assert.equal(done.stdout, 'the failed attempts of "ann" are forgotten in club\n');
    assert.deepEqual(JSON.parse(again.stdout), { username: 'ann', unlocked: [] });
    assert.deepEqual([empty.code, empty.stderr], [2, 'the username is empty\n']);
  });

  test('a name that several programmes have needs the programme', async (t) => {
    const folder = await folderWith(t, ann);
    putSecret(folder, 'programmes/other.yaml', programmeText('Other'));
    const [, both, one] = await jetwayEach(folder, [
      ['member', 'import', 'members.csv', '--programme', 'other'],
      ['member', 'disable', 'ann'],
      ['member', 'disable', 'ann', '--programme', 'other'],
    ]);
    assert.deepEqual(
      [both.code, both.stderr],
      [2, 'several programmes have a member "ann": add --programme and one of club, other\n'],
    );
    assert.equal(one.stdout, 'member "ann" of other is disabled\n');
  });
});
