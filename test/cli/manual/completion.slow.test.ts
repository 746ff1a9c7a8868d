// Owns the promise that each shell completes verbs, options and values by the script made for it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { completionScript, type Shell, shells } from '../../../src/cli/manual/completion.ts';
import { groups, verbs } from '../../../src/cli/program.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { without } from '../../support/tools.ts';
import { jetway, workFolder } from '../command.ts';

/** A line up to the cursor, and what may stand there, sorted. */
const lines: readonly (readonly [line: string, words: string])[] = [
  ['jetway ser', 'serve'],
  ['jetway cl', 'client'],
  [
    'jetway client r',
    'remove retire-api-key retire-secret retire-signing-secret rotate-api-key rotate-secret rotate-signing-secret',
  ],
  ['jetway client add --re', '--redirect-uri'],
  ['jetway client show --', '--config --json --programme'],
  ['jetway new --', '--config --json --variant'],
  ['jetway new a-club --variant g', 'grant'],
  ['jetway key list --kind ', 'identity signing token'],
  ['jetway completion z', 'zsh'],
  ['jetway check --config conf', 'config.yaml'],
  ['jetway store restore conf', 'config.yaml'],
  ['jetway member add --username conf', ''],
];

/** Of a folder with the script as `_jetway`, and of a line in LINE: what may stand at its end. */
const asked: Readonly<Record<Shell, readonly string[]>> = {
  // In readline's place: `compopt -o default` has it take names of files where there is no word.
  bash: [
    'bash',
    '-c',
    `. ./_jetway; compopt() { names=yes; }
    read -ra COMP_WORDS <<<"$LINE"; [[ $LINE == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _jetway
    ((\${#COMPREPLY[@]})) || [ -z "$names" ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[-1]}"))
    echo "\${COMPREPLY[@]}"`,
  ],
  // Zsh completes at a terminal only: .zshrc has it do so for LINE, as soon as there is one.
  zsh: [
    'bash',
    '-c',
    'ZDOTDIR=$PWD script -qec "zsh -i" /dev/null </dev/null >/dev/null; cat told',
  ],
  fish: ['fish', '-c', 'source _jetway; complete -C "$LINE" | cut -f1'],
};

const zshrc = `
fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D
ask() {
  compadd() { local -a hits; builtin compadd -O hits "$@"; print -r -- $hits >>told; builtin compadd "$@" }
  _main_complete
}
zle -C ask list-choices ask
zle-line-init() { : >told; BUFFER=$LINE; CURSOR=$#LINE; zle ask; exit }
zle -N zle-line-init
`;

for (const shell of shells) {
  const skip = shell === 'bash' ? false : without(shell);
  test(`${shell} completes verbs, options, choices and names of files`, { skip }, (t) => {
    const folder = scratchFolder(t, 'completion');
    writeFileSync(join(folder, 'config.yaml'), '');
    writeFileSync(join(folder, '.zshrc'), zshrc);
    writeFileSync(join(folder, '_jetway'), completionScript(shell, verbs, groups));
    const [command, ...args] = asked[shell];
    for (const [line, words] of lines) {
      const env = { PATH: process.env['PATH'], HOME: folder, TERM: 'dumb', LINE: line };
      const told = execFileSync(command ?? '', args, { cwd: folder, env, encoding: 'utf8' });
      const found = new Set(told.split(/\s+/).filter(Boolean));
      assert.equal([...found].toSorted().join(' '), words, line);
    }
  });
}

test('a shell without a completion is wrong usage', async (t) => {
  const ran = await jetway(workFolder(t), ['completion', 'tcsh']);
  assert.deepEqual(ran, { code: 2, stdout: '', stderr: 'the shells are bash, zsh, fish\n' });
});
