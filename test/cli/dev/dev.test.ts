// Owns the promise of `dev`: what it prints at its start, and who gets to see its secrets.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { startJetway } from '../../support/jetway.ts';
import { openLogin } from '../../support/login.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { testNeeding } from '../../support/tools.ts';
import { ask } from '../../support/wire.ts';
import { jetway } from '../command.ts';
import { startDev } from './dev_process.ts';

const test = testNeeding('curl');
const root = join(import.meta.dirname, '../../..');

test('Use 7: at its start dev prints 25 lines at most, and the address again at the end', async (t) => {
  const { sheet, url } = await startDev(t, scratchFolder(t, 'dev'));
  // npm itself prints five.
  assert.ok(sheet.length <= 20, sheet.join('\n'));
  assert.equal(sheet.at(-1), `Ready. Click through it all in a browser: ${url}/`);
  const whole = sheet.join('\n');
  for (const [name, id, variant] of [
    ['Executive Club', 'executive-club', 'grant'],
    ['Second Club', 'second-club', 'partner-login'],
    ['Third Club', 'third-club', 'partner-login'],
  ] as const) {
    const [, client, secret, password] =
      new RegExp(
        `^${name} \\(${id}\\): ${variant} variant, at ${url}/${id}\n  client (\\S+)  secret (\\S+)\n  member demo  password (\\S+)$`,
        'm',
      ).exec(whole) ?? [];
    const commands = await (await fetch(`${url}/demo/${id}/commands`)).text();
    assert.match(commands, new RegExp(`^# client   ${client}   secret   ${secret}$`, 'm'));
    assert.match(commands, new RegExp(`^# member   demo   password ${password}$`, 'm'));
  }
  assert.ok(whole.includes('jetway dev --commands executive-club'));
});

test('Use 7: dev --commands asks the dev that runs, and says where it looked for one', async (t) => {
  const folder = scratchFolder(t, 'dev');
  const { url } = await startDev(t, folder);
  const { host } = new URL(url);
  const commandsOf = (id: string, listen = host) =>
    jetway(folder, ['dev', '--commands', id, '--listen', listen]);
  const [told, unknown, nobody] = await Promise.all([
    commandsOf('second-club'),
    commandsOf('no-club'),
    commandsOf('second-club', '127.0.0.1:1'),
  ]);
  assert.deepEqual([told.code, told.stderr], [0, '']);
  const fetched = await (await fetch(`${url}/demo/second-club/commands`)).text();
  const shape = (commands: string): readonly string[] => commands.match(/ # .*$/gm) ?? [];
  assert.deepEqual(shape(told.stdout), shape(fetched));
  assert.match(told.stdout, /^# Second Club \(second-club\): commands for bash/);
  assert.deepEqual(
    [unknown.code, unknown.stdout, unknown.stderr],
    [1, '', `the jetway dev on ${url} has no programme "no-club": ${url}/ shows those it has\n`],
  );
  assert.deepEqual(
    [nobody.code, nobody.stdout, nobody.stderr],
    [
      1,
      '',
      'no jetway dev answers on http://127.0.0.1:1: start it in another terminal, or say with --listen where it runs\n',
    ],
  );
});

test('Use 8: secrets are shown at the address of the demo alone, and its own pages alone click', async (t) => {
  const { url } = await startDev(t, scratchFolder(t, 'dev'));
  const sentHome = async (path: string, asked: Parameters<typeof ask>[2]): Promise<void> => {
    const { status, headers, body } = await ask(url, path, asked);
    assert.deepEqual([status, headers['location'], body], [302, url + path, ''], path);
  };
  for (const path of ['/', '/demo/second-club/callback', '/demo/second-club/commands']) {
    await sentHome(path, { headers: { host: 'rebound.example' } });
  }
  const tokens = '/demo/second-club/tokens';
  const click = (origin: string) => ({
    method: 'POST',
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'click=code&code=x',
  });
  for (const origin of ['https://rebound.example', 'null']) await sentHome(tokens, click(origin));
  assert.equal((await ask(url, tokens, click(url))).status, 200);
});

test('Use 8: no verb but dev has login pages filled in', async (t) => {
  const passing = globSync('src/cli/**/*.ts', { cwd: root }).filter((path) =>
    /serveAll\([^)]*, filled/.test(readFileSync(join(root, path), 'utf8')),
  );
  assert.deepEqual(passing, ['src/cli/dev/dev.ts']);
  const { url, addClient } = await startJetway(t);
  for (const path of ['/', '/demo/executive-club/callback', '/demo/executive-club/tokens']) {
    assert.equal((await ask(url, path)).status, 404, path);
  }
  const { id } = await addClient();
  const login = `/executive-club/auth/login?client_id=${id}&response_type=code`;
  const { body } = (await openLogin(url, login)).page;
  const [, field = ''] = /<input([^>]*id="password"[^>]*)>/.exec(body) ?? [];
  assert.match(field, /type="password"/);
  assert.doesNotMatch(field, /value/);
});
