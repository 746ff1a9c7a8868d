// Owns the promises of `member set` and `unlock` that a session (member.session) cannot show: what is stored.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import { withStore } from '../../src/cli/open_store.ts';
import { readConfig } from '../../src/config/config.ts';
import { instant, milliseconds } from '../../src/lib/clock.ts';
import { checkPassword } from '../../src/members/password.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import { openStore } from '../../src/server/open_store.ts';
import { findMember } from '../store/fixtures.ts';
import { jetway, jetwayEach, programmeText, putSecret, workFolder } from './command.ts';

const club = 'club' as ProgrammeId;
async function folderWith(t: TestContext, text: string): Promise<string> {
  const folder = workFolder(t);
  putSecret(folder, 'members.csv', `username,subject,level,membership_number,password\n${text}`);
  const ran = await jetway(folder, ['member', 'import', 'members.csv', '--programme', 'club']);
  assert.equal(ran.code, 0, ran.stderr);
  return folder;
}

describe('member set and its like', { concurrency: 2 }, () => {
  test('set --password-stdin replaces the password', async (t) => {
    const folder = await folderWith(t, 'ann,s-ann,AUTHN-LEVEL-12,1234567890123456,one\n');
    const changed = await jetway(folder, ['member', 'set', 'ann', '--password-stdin'], 'two\n');
    assert.equal(changed.code, 0);
    assert.match(changed.stdout, /^ {2}username +ann\n {2}programme +club\n/);
    await withStore(readConfig(join(folder, 'config.yaml')), async ({ store }) => {
      const hash = (await findMember(store, club, 'ann'))?.passwordHash ?? '';
      assert.deepEqual(
        [await checkPassword('two', hash), await checkPassword('one', hash)],
        [true, false],
      );
    });
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
});
