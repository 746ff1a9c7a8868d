// Owns the promises of `member list` and `member show` about what counts against a member's logins; which
// are listed is in member.session and client.session.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import { withStore } from '../../src/cli/open_store.ts';
import { readConfig } from '../../src/config/config.ts';
import { milliseconds } from '../../src/lib/clock.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import { jetwayEach, programmeText, putSecret, workFolder } from './command.ts';

const club = 'club' as ProgrammeId;
const hash = `$2b$04$${'u'.repeat(53)}`;

/** Two programmes with members ann, anne and bob, of whom bob is disabled, and cid in the other. */
async function membersFolder(t: TestContext): Promise<string> {
  const folder = workFolder(t, { 'programmes/other.yaml': programmeText('Other') });
  const rows = (...names: string[]): string =>
    ['username,bcrypt', ...names.map((name) => `${name},${hash}`), ''].join('\n');
  putSecret(folder, 'club.csv', rows('ann', 'anne', 'bob'));
  putSecret(folder, 'other.csv', rows('cid'));
  const runs = await jetwayEach(folder, [
    ['member', 'import', 'club.csv', '--programme', 'club'],
    ['member', 'import', 'other.csv', '--programme', 'other'],
    ['member', 'disable', 'bob'],
  ]);
  assert.deepEqual(
    runs.map(({ code, stderr }) => [code, stderr]),
    runs.map(() => [0, '']),
  );
  return folder;
}

/** Wrong passwords of a username, as many as are let in; one more than `limit` locks it. */
function fail(folder: string, username: string, times: number, limit: number): Promise<void> {
  const policy = {
    attempts: limit,
    window: milliseconds(3_600_000),
    lock: milliseconds(3_600_000),
  };
  return withStore(readConfig(join(folder, 'config.yaml')), async ({ store, keyring, clock }) => {
    const account = keyring.accountDigest(username);
    for (let turn = 0; turn < times; turn += 1) {
      await store.reserveAttempt(club, account, policy, clock.now());
      await store.settleAttempt(club, account, 'no_match', clock.now());
    }
  });
}

interface Listed {
  readonly username: string;
  readonly failed_logins: number;
  readonly locked_until: string | null;
}

describe('member list and show', { concurrency: 2 }, () => {
  test('tell of wrong passwords, and until when a username is locked; unlock ends both', async (t) => {
    const folder = await membersFolder(t);
    await fail(folder, 'ann', 3, 5);
    await fail(folder, 'bob', 3, 2);
    const locked = ['member', 'list', '--locked'];
    const [json, table, show, words, free, count] = await jetwayEach(folder, [
      [...locked, '--json'],
      ['member', 'list'],
      ['member', 'show', 'BOB', '--json'],
      ['member', 'show', 'bob'],
      ['member', 'show', 'ann'],
      [...locked, '--count'],
    ]);
    const [bob, ...others] = JSON.parse(json.stdout) as Listed[];
    assert.deepEqual([bob?.username, bob?.failed_logins, others], ['bob', 2, []]);
    assert.match(bob?.locked_until ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual(JSON.parse(show.stdout), bob);
    assert.equal(count.stdout, '1\n');
    const rows = table.stdout.split('\n').slice(1, 4);
    const until = bob?.locked_until ?? '';
    assert.deepEqual(
      rows.map((row) => row.split(/ {2,}/).slice(5, 8)),
      [
        ['active', '3', '-'],
        ['active', '0', '-'],
        ['disabled', '2', until],
      ],
    );
    assert.match(words.stdout, new RegExp(`\n {2}failed logins +2\n {2}locked until +${until}\n$`));
    assert.match(free.stdout, /\n {2}failed logins +3\n {2}locked until +not locked\n$/);
    const [unlocked, after] = await jetwayEach(folder, [['member', 'unlock', 'bob'], locked]);
    assert.equal(unlocked.code, 0);
    assert.deepEqual([after.stdout, after.stderr], ['', 'no members match, of 4\n']);
  });
});
