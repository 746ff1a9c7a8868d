// Owns the promise of `dev`: what it prints works when it is pasted into a shell, from top to bottom.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

import { program } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';
import { testNeeding } from '../support/tools.ts';
import { environment } from './command.ts';

const test = testNeeding('curl');

/** Starts `jetway dev`; its sheet, once it is all there. The server ends with the test. */
async function sheetOf(t: TestContext): Promise<string> {
  const args = [program, 'dev', '--listen', '127.0.0.1:0'];
  const child = spawn(process.execPath, args, { cwd: tmpdir(), env: environment });
  t.after(async () => {
    const ended = once(child, 'exit');
    if (child.kill('SIGKILL')) await ended;
  });
  let sheet = '';
  child.stdout.setEncoding('utf8');
  for await (const chunk of child.stdout) {
    sheet += chunk as string;
    if (sheet.includes('Ready.')) return sheet;
  }
  throw new Error(`dev ended after ${sheet}`);
}

/** The commands of each programme, by its name; the headings over them are left in, as comments. */
function commandsOf(sheet: string): ReadonlyMap<string, string> {
  const [, ...parts] = sheet.split(/^(?=[\w ]+ \([\w-]+\)$)/m);
  return new Map(
    parts.map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      const shown = /^ {2}(?:client {3}|API key {2}|member {3}|login {4})/;
      const commands = lines.filter((line) => line.startsWith('  ') && !shown.test(line));
      return [heading, commands.join('\n')] as const;
    }),
  );
}

/** What a shell prints that all of it was pasted into. */
async function paste(t: TestContext, commands: string): Promise<string> {
  const { PATH = '' } = environment;
  const folder = scratchFolder(t, 'dev');
  const child = spawn('sh', ['-c', commands], { env: { PATH, TMPDIR: folder } });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(stderr, '');
  return stdout;
}

test('every command on the sheet works, and those of a gateway tell who is there', async (t) => {
  const programmes = commandsOf(await sheetOf(t));
  assert.deepEqual(
    [...programmes.keys()],
    ['Executive Club (executive-club)', 'Second Club (second-club)', 'Third Club (third-club)'],
  );
  for (const [heading, commands] of programmes) {
    const [, id = ''] = /\((.*)\)$/.exec(heading) ?? [];
    assert.match(commands, new RegExp(`/${id}/verify/none$`, 'm'));
    const printed = await paste(t, commands);
    const passed = printed.split('HTTP/1.1 200 OK').slice(1);
    const kinds = passed.map((answer) => /^X-Auth-Kind: (\w*)\r$/m.exec(answer)?.[1]);
    assert.deepEqual(kinds, ['none', 'member'], printed);
    for (const answer of passed) {
      assert.match(answer, new RegExp(`^X-Auth-Programme: ${id}\r$`, 'm'));
      assert.match(answer, /^X-Auth-Environment: staging\r$/m);
    }
    assert.match(passed[1] ?? '', /^X-Auth-Membership-Number: 1234567890123456\r$/m);
    // A login and a refresh; the partner's own token where there is that grant.
    const tokens = printed.match(/"refresh_token":"[^"]+"/g) ?? [];
    assert.equal(new Set(tokens).size, 2, printed);
    const refusals = printed.match(/^HTTP\/1\.1 (?!200)\d+/gm) ?? [];
    assert.ok(refusals.length >= 7, printed);
  }
});
