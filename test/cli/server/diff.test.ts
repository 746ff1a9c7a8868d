// Owns the promises of `diff`: what changes on the wire, as text and as data, its exit codes, and the
// faults of both files.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { jetway, jetwayEach, programmeText, workFolder } from '../command.ts';

const shorter = 'code: { lifetime: 90s }\n';

describe('diff', { concurrency: 2 }, () => {
  test('prints each change under its endpoint, also of files with other names', async (t) => {
    const folder = workFolder(t, { 'before.yaml': programmeText('Club', shorter) });
    const ran = await jetway(folder, ['diff', 'before.yaml', 'programmes/club.yaml']);
    const text = `login request /club/auth/login
  lifetime of a code
  - 90s
  + 2m

1 change on the wire, of which 0 for certain break partners
`;
    assert.deepEqual(ran, { code: 0, stdout: text, stderr: '' });
  });

  test('prints changes as data, and says with --exit-code that there are some', async (t) => {
    const folder = workFolder(t, { 'after.yaml': programmeText('Club', shorter) });
    const files = ['programmes/club.yaml', 'after.yaml'];
    const [data, told, same] = await jetwayEach(folder, [
      ['diff', '--json', ...files],
      ['diff', '--exit-code', '--json', ...files],
      ['diff', '--exit-code', 'after.yaml', 'after.yaml'],
    ]);
    assert.deepEqual([data.code, data.stderr], [0, '']);
    assert.deepEqual(JSON.parse(data.stdout), [
      {
        endpoint: 'login request /club/auth/login',
        item: 'lifetime of a code',
        before: '2m',
        after: '90s',
        breaks: 'it is shorter',
      },
    ]);
    assert.deepEqual(told, { ...data, code: 1 });
    assert.deepEqual(same, { code: 0, stdout: 'no change on the wire\n', stderr: '' });
  });

  test('tells the faults of both files, and a file that is not there', async (t) => {
    const folder = workFolder(t, {
      'bad.yaml': programmeText('Bad', 'audienc: us\n'),
      'worse.yaml': 'name: [\n',
    });
    const [both, missing, one] = await jetwayEach(folder, [
      ['diff', 'bad.yaml', 'worse.yaml'],
      ['diff', 'gone.yaml', 'programmes/club.yaml', '--json'],
      ['diff', 'bad.yaml'],
    ]);
    assert.deepEqual([both.code, both.stdout], [3, '']);
    assert.match(
      both.stderr,
      /^bad\.yaml:7:1: error: unknown key "audienc" \(did you mean "audience"\?\)\nworse\.yaml:1:7: error: .*\n$/,
    );
    assert.deepEqual(missing, {
      code: 3,
      stdout: '',
      stderr: 'gone.yaml:1:1: error: the file does not exist\n',
    });
    assert.deepEqual([one.code, one.stdout], [2, '']);
    assert.match(one.stderr, /missing required argument 'new'/);
  });
});
