// The verbs that look into the audit stream: find, verify and hash.

import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { removeFolder } from '../../support/scratch.ts';
import { configText, jetway, jetwayJson, workFolder } from '../command.ts';

test('looking into the audit stream', async (scene) => {
  const folder = workFolder(scene);
  const add = ['client', 'add', '--programme', 'club', '--role', 'partner', '--name'];
  const ids: string[] = [];
  for (const name of ['Blue', 'Green']) {
    const { client_id: id } = (await jetwayJson(folder, [...add, name])) as { client_id: string };
    ids.push(id);
  }
  const member = ['member', 'add', '--programme', 'club', '--username', 'ann', '--password-stdin'];
  await jetway(folder, member, 'a password of hers');
  // Rotated, and compressed.
  const path = join(folder, 'data/audit.jsonl');
  writeFileSync(`${path}.1.gz`, gzipSync(readFileSync(path)));
  rmSync(path);
  await jetway(folder, ['client', 'disable', ids[0] ?? '']);

  async function found(...options: readonly string[]): Promise<readonly string[]> {
    const { code, stdout } = await jetway(folder, ['audit', 'find', '--json', ...options]);
    if (code !== 0) return [`exit ${code}`];
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event: string }).event);
  }

  await scene.test('finds events by what they are about, in rotated files too', async () => {
    const [one = '', other = ''] = ids;
    assert.deepEqual(await found('--client', one), ['client_added', 'client_changed']);
    assert.deepEqual(await found('--client', other), ['client_added']);
    assert.deepEqual(await found('--member', 'Ann'), ['member_added']);
    assert.deepEqual(await found('--member', 'bob'), ['exit 1']);
    assert.deepEqual(await found('--event', 'client_changed', '--programme', 'club'), [
      'client_changed',
    ]);
    assert.deepEqual(await found('--command', 'client disable'), [
      'command_begun',
      'client_changed',
      'command_ended',
    ]);
    assert.deepEqual(await found('--client', one, '--programme', 'other'), ['exit 1']);
    assert.deepEqual(await found('--client', one, '--until', '1h'), ['exit 1']);
    assert.deepEqual(await found('--client', one, '--since', '1h', '--until', '2999-01-01'), [
      'client_added',
      'client_changed',
    ]);
    assert.deepEqual(await found('--client', one, '--since', '2999-01-01T00:00:00Z'), ['exit 1']);
  });

  await scene.test('prints lines for people', async () => {
    const { stdout } = await jetway(folder, ['audit', 'find', '--event', 'client_changed']);
    assert.match(
      stdout,
      /^\d{4}-\S+Z {2}client_changed {2}programme=club {2}client=\S+ {2}changed=\["status"\] {2}status=disabled {2}command=client disable {2}run=\S+ {2}user=\S+\n$/,
    );
  });

  await scene.test('refuses what is no time, no event and no kind of identifier', async () => {
    const { code, stderr } = await jetway(folder, ['audit', 'find', '--since', 'tuesday']);
    assert.deepEqual(
      [code, stderr],
      [
        2,
        '--since must be a time such as 2026-11-23 or 2026-11-23T09:30:00Z, or a duration such as 2h, not "tuesday"\n',
      ],
    );
    assert.deepEqual(await found('--event', 'nonsense'), ['exit 2']);
    const { stderr: told } = await jetway(folder, ['audit', 'hash', 'name', 'ann']);
    assert.equal(told, 'there is no kind "name": one of member, username, address, login\n');
  });

  await scene.test(
    'a whole stream is told with its newest line, which is looked for again',
    async () => {
      const { code, stdout } = await jetway(folder, ['audit', 'verify']);
      const [, newest = ''] =
        /^The audit stream is whole: lines 1 to 14, 14 in 2 files\.\nNewest: (14:[\w-]{22})\n$/.exec(
          stdout,
        ) ?? [];
      assert.deepEqual([code, newest.slice(0, 3)], [0, '14:'], stdout);
      assert.equal((await jetway(folder, ['audit', 'verify', '--expect', newest])).code, 0);
      const other = `14:${'A'.repeat(22)}`;
      const { code: failed, stdout: told } = await jetway(folder, [
        'audit',
        'verify',
        '--expect',
        other,
      ]);
      assert.deepEqual(
        [failed, told],
        [
          1,
          `data/audit.jsonl: the expected line 14 is not there\nThe audit stream is broken: 1 place.\n`,
        ],
      );
      assert.equal((await jetway(folder, ['audit', 'verify', '--expect', '14'])).code, 2);
    },
  );

  await scene.test('the first broken line is named; files are verified by themselves', async () => {
    const changed = readFileSync(path, 'utf8').replace('disabled', 'active');
    writeFileSync(join(folder, 'changed.jsonl'), changed);
    const { code, stdout } = await jetway(folder, ['audit', 'verify', 'changed.jsonl']);
    assert.deepEqual(
      [code, stdout],
      [
        1,
        'changed.jsonl:3 is not as it was written, or the line before it is not\nThe audit stream is broken: 1 place.\n',
      ].map((one) => (typeof one === 'string' ? one.replace(':3 ', ':3: ') : one)),
    );
    renameSync(path, `${path}.2`);
    const lost = (await jetway(folder, ['audit', 'verify'])).stdout;
    renameSync(`${path}.2`, path);
    assert.match(lost, /^The audit stream is whole/);
    const { code: missing, stderr } = await jetway(folder, ['audit', 'verify', 'nothing.jsonl']);
    assert.deepEqual([missing, stderr], [1, 'there is no file nothing.jsonl\n']);
  });
});

test('there is nothing to look into without a stream or a store', async (t) => {
  const without = workFolder(t, { 'config.yaml': `${configText}audit: off\n` });
  assert.deepEqual(await jetway(without, ['audit', 'verify']), {
    code: 1,
    stdout: '',
    stderr: 'the configuration has no audit stream (audit)\n',
  });
  const fresh = workFolder(t);
  assert.deepEqual(await jetway(fresh, ['audit', 'find']), {
    code: 1,
    stdout: '',
    stderr: 'there is no store yet, and so no audit stream\n',
  });
  removeFolder(join(fresh, 'data'));
});
