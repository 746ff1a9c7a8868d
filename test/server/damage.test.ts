// FAULTS 36: the command that takes a damaged item away names it, whatever its identifier is.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import type { ProgrammeId } from '../../src/oauth/client.ts';
import { damageText } from '../../src/server/damage.ts';
import { DamagedItem } from '../../src/store/unusable.ts';

/** The arguments that a shell gives the command of a message. */
function pasted(id: string): readonly string[] {
  const text = damageText(new DamagedItem('member', 'club' as ProgrammeId, id));
  const command = /\((jetway member remove .*)\), or restore a backup/s.exec(text)?.[1];
  assert.ok(command, text);
  const script = String.raw`jetway() { printf '%s\0' "$@"; }; ${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

test('FAULTS 36: the way out can be pasted into a shell', () => {
  const usual = 'Xt0e4nUS3m_edhxhV2vzLg';
  const options = ['--programme', 'club', '--yes'];
  assert.deepEqual(pasted(usual), ['member', 'remove', usual, ...options]);
  for (const id of ['', 'a;exit 1', "it's", '$(exit 1)', '`exit 1`', 'a\nb', '"', '*', '#1']) {
    assert.deepEqual(pasted(id), ['member', 'remove', id, ...options]);
  }
  // One subject in 64 begins so.
  for (const id of ['-Xt0e4nUS3m_edhxhV2vzL', '--yes', '-;exit']) {
    assert.deepEqual(pasted(id), ['member', 'remove', ...options, '--', id]);
  }
});
