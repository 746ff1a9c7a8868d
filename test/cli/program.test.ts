// Owns the promises every verb keeps: exit codes, help, output that others read, no stacks.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import {
  configText,
  jetway,
  jetwayEach,
  jetwayJson,
  jetwayUnread,
  putSecret,
  root,
  workFolder,
} from './command.ts';

const addClient = ['client', 'add', '--programme', 'club', '--name', 'A', '--role', 'partner'];

describe('version and help', { concurrency: 2 }, () => {
  test('tell the version in words and as JSON', async (t) => {
    const folder = workFolder(t);
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    const version = `${manifest.version}-dev`;
    const node = process.versions.node;
    const line = {
      code: 0,
      stdout: `jetway ${version} (run from sources, node ${node})\n`,
      stderr: '',
    };
    assert.deepEqual(await jetway(folder, ['version']), line);
    assert.deepEqual(await jetway(folder, ['--version']), line);
    const unknown = { commit: null, committed_at: null, changed: null, build: null };
    assert.deepEqual(await jetwayJson(folder, ['version']), { version, ...unknown, node });
  });

  test('explain a verb of one word or of two', async (t) => {
    const folder = workFolder(t);
    const [all, add] = await jetwayEach(folder, [['help'], ['help', 'client', 'add']]);
    assert.deepEqual([all.code, all.stderr, add.code, add.stderr], [0, '', 0, '']);
    for (const verb of 'serve check show client member key token store version help'.split(' ')) {
      assert.match(all.stdout, new RegExp(`^  ${verb}\\b`, 'm'));
    }
    assert.match(add.stdout, /^Usage: jetway client add /);
    const none = await jetway(folder, []);
    assert.deepEqual([none.code, none.stdout], [2, '']);
    assert.match(none.stderr, /^Usage: jetway /);
  });
});

describe('trouble', { concurrency: 2 }, () => {
  test('serve names an address that is taken, whichever it is, and ends: exit 1', async (t) => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    t.after(() => squatter.close());
    const { port } = squatter.address() as AddressInfo;
    const folder = workFolder(t, {
      'config.yaml': configText.replace('127.0.0.1:0', `127.0.0.1:${port}`),
      'admin.yaml': `${configText}admin: 127.0.0.1:${port}\n`,
    });
    const [main, admin] = await Promise.all([
      jetway(folder, ['serve']),
      jetway(folder, ['serve', '--config', 'admin.yaml']),
    ]);
    const words = (setting: string): string =>
      `cannot listen on 127.0.0.1:${port} (${setting}): something listens there already: stop it, or choose another address\n`;
    assert.deepEqual(main, { code: 1, stdout: '', stderr: words('listen') });
    assert.deepEqual(admin, { code: 1, stdout: '', stderr: words('admin') });
  });

  test('a reader that goes away is no crash, and a secret that nobody saw is told', async (t) => {
    const folder = workFolder(t);
    const row = `partnerapi-00001,${'s'.repeat(20)},Ann,partner`;
    putSecret(folder, 'in.csv', `client_id,client_secret,name,roles\n${row}\n`);
    const list = await jetwayUnread(folder, ['check', '--json']);
    assert.deepEqual(list, { code: 1, stderr: '' });
    const load = ['client', 'import', 'in.csv', '--programme', 'club'];
    assert.deepEqual(await jetwayUnread(folder, load), { code: 1, stderr: '' });
    const { code, stderr } = await jetwayUnread(folder, addClient);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^partnerapi-\d{5} of club is added, but standard output cannot be written to \(EPIPE\) and its secret is lost: disable it and add another\n$/,
    );
  });
});
