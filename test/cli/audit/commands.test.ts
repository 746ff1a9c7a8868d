// What commands tell the audit stream, and what becomes of commands that cannot tell it.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test, type TestContext } from 'node:test';

import { eventNames } from '../../../src/audit/event.ts';
import { kindNames } from '../../../src/store/kinds.ts';
import { configText, jetway, jetwayEach, jetwayJson, jetwayWith, workFolder } from '../command.ts';

interface Told extends Readonly<Record<string, unknown>> {
  readonly event: string;
  readonly command?: string;
}

function textOf(folder: string): string {
  return readFileSync(join(folder, 'data/audit.jsonl'), 'utf8');
}

/** The events, without what no test can know. */
function toldIn(folder: string): readonly Told[] {
  const lines = textOf(folder).trimEnd().split('\n');
  return lines.map((line) => {
    const { time: _t, seq: _s, size: _z, mac: _m, run: _r, ...told } = JSON.parse(line) as Told;
    return told;
  });
}

const add = ['client', 'add', '--programme', 'club', '--name', 'Blue', '--role', 'partner'];
const addMember = ['member', 'add', '--programme', 'club', '--username', 'Ann', '--password-stdin'];

async function addClient(
  folder: string,
): Promise<{ readonly id: string; readonly secrets: readonly string[] }> {
  const made = (await jetwayJson(folder, add)) as Readonly<Record<string, string>>;
  return {
    id: made['client_id'] ?? '',
    secrets: [made['client_secret'] ?? '', made['api_key'] ?? ''],
  };
}

describe('commands tell the audit stream', () => {
  test('a kind of registered thing has events for each change', () => {
    const names = kindNames.flatMap((kind) =>
      ['added', 'changed', 'removed'].map((what) => `${kind}_${what}`),
    );
    assert.deepEqual(
      names.filter((name) => !eventNames.some((one) => one === name)),
      [],
    );
  });

  test('what they change, who ran them and how they ended; nothing of what they only read', async (t) => {
    const folder = workFolder(t);
    const { id, secrets } = await addClient(folder);
    const password = 'a password of hers';
    assert.equal((await jetway(folder, addMember, password)).code, 0);
    const own = ['--programme', 'club'];
    const runs = await jetwayEach(folder, [
      ['client', 'list'],
      ['client', 'show', id],
      ['client', 'disable', id],
      ['client', 'disable', id],
      ['client', 'set', id, '--name', 'Green', '--throttle-limit', '5', '--throttle-window', '1m'],
      ['client', 'rotate-secret', id, '--json'],
      ['token', 'revoke', '--username', 'ann'],
      ['maintenance', 'on', 'club'],
      ['maintenance', 'off', 'club'],
      ['key', 'rotate', ...own, '--now'],
      ['member', 'disable', 'ann'],
      ['member', 'remove', 'ann', '--yes'],
      ['client', 'remove', id, '--yes'],
      ['client', 'show', id],
      ['store', 'backup', 'copy.db'],
    ]);
    const told = toldIn(folder);
    const digestOf = async (kind: string, text: string): Promise<string> =>
      ((await jetwayJson(folder, ['audit', 'hash', kind, text])) as { digest: string }).digest;
    const ann = told.find(({ event }) => event === 'member_added');
    assert.equal(ann?.['username'], await digestOf('username', 'ANN'));
    const member = ann?.['member'];
    const changes = told.flatMap(({ event, command, user, ...facts }) => {
      assert.equal(typeof (user ?? ''), 'string');
      return /^(command|file)_/.test(event) || 'sudo_user' in facts
        ? []
        : [[command, event, facts]];
    });
    const client = { programme: 'club', client: id };
    const her = { programme: 'club', member, username: ann?.['username'] };
    const keys = changes.filter(([command]) => command === 'key rotate');
    assert.deepEqual(
      changes.filter((one) => !keys.includes(one)),
      [
        [
          'client add',
          'client_added',
          { ...client, name: 'Blue', status: 'active', roles: ['partner'], redirect_uris: [] },
        ],
        ['member add', 'member_added', { ...her, status: 'active' }],
        [
          'client disable',
          'client_changed',
          { ...client, changed: ['status'], status: 'disabled' },
        ],
        [
          'client set',
          'client_changed',
          {
            ...client,
            changed: ['name', 'throttle'],
            name: 'Green',
            throttle: { limit: 5, window: 60_000 },
          },
        ],
        ['client rotate-secret', 'client_changed', { ...client, changed: ['secrets'] }],
        ['token revoke', 'tokens_revoked', { programme: 'club', member }],
        ['maintenance on', 'maintenance_added', { programme: 'club', retry_after: 60_000 }],
        ['maintenance off', 'maintenance_removed', { programme: 'club' }],
        ['member disable', 'member_changed', { ...her, changed: ['status'], status: 'disabled' }],
        ['member remove', 'member_removed', her],
        ['client remove', 'client_removed', client],
      ],
    );
    assert.deepEqual(
      keys.map(([, event]) => event),
      ['token_key_added'],
    );
    // Each that may change something begins and ends, also where nothing was to be changed.
    const ended = told.filter(({ event }) => event === 'command_ended');
    assert.deepEqual(
      ended.map(({ command, exit }) => [command, exit]),
      [
        ['client add', 0],
        ['member add', 0],
        ['client disable', 0],
        ['client disable', 0],
        ['client set', 0],
        ['client rotate-secret', 0],
        ['token revoke', 0],
        ['maintenance on', 0],
        ['maintenance off', 0],
        ['key rotate', 0],
        ['member disable', 0],
        ['member remove', 0],
        ['client remove', 0],
        ['store backup', 0],
      ],
    );
    const begun = told.filter(({ event }) => event === 'command_begun');
    assert.deepEqual(
      begun.map(({ command }) => command),
      ended.map(({ command }) => command),
    );
    assert.deepEqual(
      begun
        .slice(0, 2)
        .map(({ options, pid, uid, host }) => [options, typeof pid, uid, typeof host]),
      [
        [['--json', '--programme', '--name', '--role'], 'number', process.getuid?.(), 'string'],
        [['--programme', '--username', '--password-stdin'], 'number', process.getuid?.(), 'string'],
      ],
    );
    // HOSTILE 53.
    const shown = runs.map(({ stdout }) => /"client_secret": "([^"]+)"/.exec(stdout)?.[1] ?? []);
    const hidden = [...secrets, ...shown.flat(), password, 'Ann'];
    assert.equal(hidden.length, 5);
    for (const text of hidden) assert.ok(!textOf(folder).includes(text), text);
    assert.deepEqual(
      ((await jetwayJson(folder, ['audit', 'verify'])) as { whole: boolean }).whole,
      true,
    );
  });

  test('who became the user that ran it', async (t) => {
    const folder = workFolder(t);
    await jetwayWith(folder, { SUDO_USER: 'olga' }, add);
    const [, begun] = toldIn(folder);
    assert.equal(begun?.['sudo_user'], 'olga');
  });

  test('a wrong usage and a dry run tell nothing', async (t) => {
    const folder = workFolder(t);
    await addClient(folder);
    const before = textOf(folder);
    writeFileSync(join(folder, 'more.csv'), 'client_id,client_secret,name,roles\n');
    const runs = await jetwayEach(folder, [
      ['client', 'set', 'partnerapi-00000'],
      ['client', 'import', 'more.csv', '--programme', 'club', '--dry-run'],
    ]);
    assert.ok(runs.every(({ code }) => code === 2));
    assert.equal(textOf(folder), before);
  });
});

describe('FAULTS 27: a command that cannot tell the audit stream', { concurrency: true }, () => {
  function folderWith(t: TestContext, onFailure: 'refuse' | 'drop'): string {
    const folder = workFolder(t, {
      'config.yaml': `${configText}audit: { file: ./trail/audit.jsonl, on_failure: ${onFailure} }\n`,
    });
    return folder;
  }

  test('changes nothing with refuse', async (t) => {
    const folder = folderWith(t, 'refuse');
    const { code, stdout, stderr } = await jetway(folder, add);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^nothing was changed: the audit stream .*trail\/audit\.jsonl cannot be written \(ENOENT: .*\)\n$/,
    );
    assert.deepEqual(await jetwayJson(folder, ['client', 'list']), []);
  });

  test('warns with drop, and does what it was told to', async (t) => {
    const folder = folderWith(t, 'drop');
    const { code, stderr } = await jetway(folder, add);
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^warning: .* cannot be written .*: what this command does is not in it\n/,
    );
    assert.equal(((await jetwayJson(folder, ['client', 'list'])) as unknown[]).length, 1);
    assert.equal(existsSync(join(folder, 'trail')), false);
  });

  test('waits for other writers, and names the reason where one keeps the file', async (t) => {
    const folder = workFolder(t);
    const { id } = await addClient(folder);
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
});
