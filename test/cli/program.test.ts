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
  });

  test('wrong verbs and options end with 2 and a suggestion, on standard error', async (t) => {
    const folder = workFolder(t);
    const slips = [
      [['chek'], /unknown command 'chek'\n\(Did you mean check\?\)/],
      [['client', 'ad'], /unknown command 'ad'\n\(Did you mean add\?\)/],
      [['check', '--jsn'], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
      [['show'], /missing required argument 'programme'/],
      [['show', 'club', 'club'], /too many arguments/],
      [['help', 'serv'], /^there is no verb "serv" \(did you mean "serve"\?\)\n$/],
      [['help', 'key', 'graec'], /^there is no key "graec" \(did you mean "grace"\?\)\n$/],
      [[], /^Usage: jetway /],
    ] as const;
    const runs = await jetwayEach(
      folder,
      slips.map(([args]) => args),
    );
    for (const [index, [args, message]] of slips.entries()) {
      const ran = runs[index];
      assert.deepEqual([ran?.code, ran?.stdout], [2, ''], args.join(' '));
      assert.match(ran?.stderr ?? '', message);
    }
  });
});

describe('trouble', { concurrency: 2 }, () => {
  test('a memory store has nothing to write to or to see: exit 4', async (t) => {
    const folder = workFolder(t, {
      'config.yaml': configText.replace(/store: .*/, 'store: memory'),
    });
    const verbs = [
      addClient,
      ['client', 'list'],
      ['client', 'disable', 'x'],
      ['client', 'set', 'x', '--name', 'a'],
      ['client', 'rotate-secret', 'x'],
      ['client', 'rotate-api-key', 'x'],
      ['client', 'retire-secret', 'x'],
      ['client', 'remove', 'x', '--yes'],
      ['client', 'import', 'clients.csv', '--programme', 'club'],
      ['key', 'list'],
      ['key', 'rotate'],
      ['key', 'retire'],
      ['token', 'revoke', '--client', 'x'],
      ['store', 'backup', 'backup.db'],
      ['store', 'restore', 'backup.db', '--yes'],
      ['store', 'verify'],
      ['member', 'list'],
      ['member', 'add', '--programme', 'club', '--username', 'a', '--password-stdin'],
    ];
    const runs = await jetwayEach(folder, verbs);
    for (const [index, ran] of runs.entries()) {
      assert.deepEqual([ran.code, ran.stdout], [4, ''], String(verbs[index]));
      assert.match(ran.stderr, /^the store is memory, .*set store to file:PATH/);
    }
  });

  test("a programme's verbs work beside a broken file and without a good one", async (t) => {
    const folder = workFolder(t, { 'programmes/broken.yaml': 'name: [\n' });
    const list = ['client', 'list', '--programme', 'broken'];
    const [added, listed, refused] = await jetwayEach(folder, [
      addClient,
      list,
      [...addClient, '--programme', 'broken'],
    ]);
    assert.deepEqual([added.code, listed.code, refused.code], [0, 0, 3]);
    assert.equal(listed.stderr, 'there are no clients\n');
    assert.match(refused.stderr, /^programmes\/broken\.yaml:1:7: error: /);
  });

  test('a store of the other environment does not open (C-3): exit 4', async (t) => {
    const folder = workFolder(t, { 'live.yaml': configText.replace('staging', 'live') });
    const [added, ran] = await jetwayEach(folder, [
      addClient,
      ['client', 'list', '--config', 'live.yaml'],
    ]);
    assert.equal(added.code, 0);
    assert.deepEqual([ran.code, ran.stdout], [4, '']);
    assert.match(ran.stderr, /belongs to environment staging; this configuration is for live/);
  });

  test('a store or key that cannot be made is told without a stack: exit 4', async (t) => {
    const folder = workFolder(t, {
      'store.yaml': configText.replace(/file:.*/, 'file:./config.yaml/jetway.db'),
      'damaged.yaml': `${configText.replace(/file:.*/, 'file:./damaged.db')}master_key_file: ./new.key\n`,
      'damaged.db': 'not a database at all',
    });
    const [store, damaged] = await jetwayEach(folder, [
      ['client', 'list', '--config', 'store.yaml'],
      ['client', 'list', '--config', 'damaged.yaml'],
    ]);
    assert.deepEqual([store.code, damaged.code], [4, 4]);
    assert.match(store.stderr, /^the master key cannot be made: [^\n]+config\.yaml[^\n]*\n$/);
    assert.match(damaged.stderr, /^\S+new\.key does not exist, but the store [^\n]+\n$/);
  });

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
