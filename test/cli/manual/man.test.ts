// Owns the promise that the manual page is sound man(7) and has every verb and option.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

import { optionsOf } from '../../../src/cli/grammar/grammar.ts';
import { verbs } from '../../../src/cli/program.ts';
import { without } from '../../support/tools.ts';
import { jetway, workFolder } from '../command.ts';

test('the manual page has every verb and option', { skip: without('man') }, async (t) => {
  const { code, stdout, stderr } = await jetway(workFolder(t), ['man']);
  assert.deepEqual([code, stderr], [0, '']);
  const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', MANWIDTH: '400' };
  const args = ['--warnings', '--local-file', '-'];
  const shown = spawnSync('man', args, { input: stdout, env, encoding: 'utf8' });
  assert.deepEqual([shown.status, shown.stderr], [0, '']);
  const page = shown.stdout.replaceAll(/^\s+/gm, '');
  for (const verb of verbs) {
    const usage = new RegExp(`^jetway ${verb.words}\\b(?: [<[].*)$`, 'm');
    const text = page.split(usage)[1]?.split(/^jetway .*\[options\]$/m)[0] ?? '';
    assert.ok(text.includes(`\nExample:\n${verb.example}\n`), verb.words);
    for (const { flags } of optionsOf(verb)) {
      assert.ok(text.includes(`\n${flags}`), `${verb.words} ${flags}`);
    }
  }
});
