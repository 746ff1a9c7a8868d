// HOSTILE 66: whatever files, folders and variables are called, what is printed of them moves no
// terminal's cursor and hides nothing.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { configText, jetway, jetwayWith, type Ran, workFolder } from './command.ts';

/** Escape, carriage return, a C1 control, and a character that has a line read from right to left. */
const evil = '\u001b[31m\r\u009b2J\u202e';
const spelled = '\\u{1b}[31m\\u{d}\\u{9b}2J\\u{202e}';

type Command = readonly [
  name: string,
  args: readonly string[],
  more?: Readonly<Record<string, string>>,
];

const commands: readonly Command[] = [
  ['a file among programmes', ['check']],
  ['a file that is not there', ['check', `${evil}.yaml`]],
  ['a configuration that is not there', ['check', '--config', `${evil}.yaml`]],
  ['a folder of programmes that is not there', ['check', '--config', `${evil}/nowhere.yaml`]],
  ['a store in a folder that cannot be', ['client', 'list', '--config', `${evil}/nostore.yaml`]],
  ['a backup that is not there', ['store', 'verify', `${evil}.db`]],
  [
    'a file to import that is not there',
    ['member', 'import', `${evil}.csv`, '--programme', 'club'],
  ],
  ['a variable', ['client', 'list'], { JETWAY_MASTER_KEY_FILE: `${evil}/nowhere.yaml/key` }],
  ['a verb', [evil]],
  ['an option', ['check', `--${evil}`]],
];

test('HOSTILE 66: names are spelled out wherever they are printed', async (t) => {
  const folder = workFolder(t, {
    [`${evil}/nowhere.yaml`]: `${configText}programmes: ./nowhere\n`,
    [`${evil}/nostore.yaml`]: configText.replace('./data', './nowhere.yaml'),
  });
  writeFileSync(join(folder, `programmes/${evil}.yaml`), 'name: 1');
  const ran = await Promise.all(
    commands.map(([, args, more]) =>
      more === undefined ? jetway(folder, args) : jetwayWith(folder, more, args),
    ),
  );
  for (const [index, [name]] of commands.entries()) {
    const { code, stdout, stderr } = ran[index] as Ran;
    assert.notEqual(code, 0, name);
    const printed = stdout + stderr;
    assert.doesNotMatch(printed.replaceAll('\n', ''), /[\p{C}\p{Zl}\p{Zp}]/u, name);
    assert.ok(printed.includes(spelled) || printed.includes('\\u001b[31m'), `${name}: ${printed}`);
  }
  const asJson = await jetway(folder, ['check', '--json']);
  assert.doesNotMatch(asJson.stdout.replaceAll('\n', ''), /[\p{C}\p{Zl}\p{Zp}]/u);
  const faults = JSON.parse(asJson.stdout) as readonly { readonly file: string }[];
  assert.equal(faults[0]?.file, `programmes/${evil}.yaml`);
});
