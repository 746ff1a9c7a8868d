// Owns the promises of `client list`, `member list` and `member show`: which are listed, how many, and
// what counts against a member's logins.

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
  test('some of them, by status, name and number; counted', async (t) => {
    const folder = await membersFolder(t);
    const list = ['member', 'list'];
    const asked = [
      ['--username', 'NN', '--json'],
      ['--status', 'disabled', '--json'],
      ['--status', 'active', '--limit', '2', '--json'],
      ['--programme', 'other', '--username', 'ann', '--json'],
      ['--count'],
      ['--count', '--status', 'active', '--programme', 'club', '--limit', '1', '--json'],
    ];
    const [ann, disabled, two, none, all, some] = await jetwayEach(
      folder,
      asked.map((options) => [...list, ...options]),
    );
    const names = [ann, disabled, two, none].map((ran) =>
      (JSON.parse(ran?.stdout ?? '') as Listed[]).map(({ username }) => username),
    );
    assert.deepEqual(names, [['ann', 'anne'], ['bob'], ['ann', 'anne'], []]);
    assert.deepEqual(
      [all, some],
      [
        { code: 0, stdout: '4\n', stderr: '' },
        { code: 0, stdout: '2\n', stderr: '' },
      ],
    );
    const [table, nobody, zero] = await jetwayEach(folder, [
      [...list, '--limit', '3'],
      [...list, '--username', 'zoë'],
      [...list, '--limit', '0'],
    ]);
    assert.equal(table.stdout.split('\n').length, 5);
    assert.deepEqual([table.code, table.stderr], [0, '3 of 4 members\n']);
    assert.deepEqual(nobody, {
      code: 0,
      stdout: '',
      stderr: 'no members match, of 4\n',
    });
    const message = '--limit must be a number from 1, not "0"\n';
    assert.deepEqual(zero, { code: 2, stdout: '', stderr: message });
  });

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

test('client list: some of them, by status and name', async (t) => {
  const folder = workFolder(t);
  const rows = ['Blue Cars', 'Green Cars', 'Blue Hotels'].map(
    (name, index) => `partnerapi-0000${index},${'s'.repeat(20)}${index},${name}`,
  );
  putSecret(folder, 'clients.csv', ['client_id,client_secret,name', ...rows, ''].join('\n'));
  const list = ['client', 'list', '--name'];
  const [imported, disabled, blue, active, none, cars, slip] = await jetwayEach(folder, [
    ['client', 'import', 'clients.csv', '--programme', 'club'],
    ['client', 'disable', 'partnerapi-00002'],
    [...list, 'blue', '--json'],
    [...list, 'blue', '--status', 'active', '--json'],
    [...list, 'red'],
    [...list, 'CARS', '--count'],
    [...list, 'blue', '--status', 'gone'],
  ]);
  assert.deepEqual([imported.code, disabled.code, slip.code], [0, 0, 2]);
  const ids = [blue, active].map((ran) =>
    (JSON.parse(ran.stdout) as { client_id: string }[]).map((one) => one.client_id.slice(-1)),
  );
  assert.deepEqual(ids, [['0', '2'], ['0']]);
  assert.deepEqual(none, { code: 0, stdout: '', stderr: 'no clients match, of 3\n' });
  assert.equal(cars.stdout, '2\n');
});
