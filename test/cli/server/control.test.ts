// Tests of the control socket, and of settings that a running server takes up by it.

import assert from 'node:assert/strict';
import { lstatSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';

import type { StatusView } from '../../../src/cli/server/status.ts';
import { until } from '../../support/until.ts';
import { ask } from '../../support/wire.ts';
import { configText, jetway, jetwayJson, workFolder } from '../command.ts';
import { startServer } from '../server.ts';
import { openSite, told } from './reload_scene.ts';

test('settings: some are taken up, the others need a restart, a broken file changes none', async (t) => {
  const site = await openSite(t, told);
  assert.deepEqual(Object.keys((await site.status()).listeners), ['main', 'admin']);
  assert.equal((await ask(site.server.url, '/club/verify/none')).status, 401);
  site.write(
    'config.yaml',
    `${told.replace('listen: 127.0.0.1:0', 'listen: 127.0.0.1:1').replace('0s', '1s')}gateway: 127.0.0.1:0
trusted_proxies: [127.0.0.1/32]
master_key_file: ./other.key
`,
  );
  const { code, stdout } = await jetway(site.folder, ['reload']);
  assert.deepEqual(
    [code, stdout],
    [
      0,
      `listen: counts after a restart
trusted_proxies: taken up
stop_delay: taken up
gateway: taken up
master_key_file: counts after a restart
1 of 1 programmes unchanged
`,
    ],
  );
  const { listeners } = await site.status();
  assert.equal((await ask(listeners.gateway ?? '', '/club/verify/none')).status, 401);
  assert.equal((await ask(site.server.url, '/club/verify/none')).status, 404);
  // An address that is taken: gateways ask where they did.
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await until(() => other.listening);
  const { port } = other.address() as { readonly port: number };
  site.write(
    'config.yaml',
    `${told.replace('0s', '1s')}gateway: 127.0.0.1:${port}\ntrusted_proxies: [127.0.0.1/32]\n`,
  );
  const refused = await site.reload();
  assert.deepEqual(
    [refused.code, refused.stdout],
    [
      3,
      `gateway: not taken up: cannot listen on 127.0.0.1:${port} (gateway): something listens there already: stop it, or choose another address
1 of 1 programmes unchanged
`,
    ],
  );
  assert.deepEqual((await site.status()).listeners, listeners);
  assert.equal((await ask(listeners.gateway ?? '', '/club/verify/none')).status, 401);
});

test('reload and status without a server say where none answers; the socket is its owner’s alone', async (t) => {
  const folder = workFolder(t);
  const socket = join(folder, 'data/jetway.db.control');
  const nobody = `no server of this configuration runs: nothing answers at ${socket} (control)\n`;
  for (const verb of ['reload', 'status']) {
    assert.deepEqual(await jetway(folder, [verb]), { code: 1, stdout: '', stderr: nobody });
  }
  const first = await startServer(t, folder);
  const { mode } = lstatSync(socket);
  assert.equal(mode & 0o777, 0o600);
  // A second server of the store waits for the first one's end, and takes over.
  const second = await startServer(t, folder);
  await until(() => second.printed().stderr.includes('no_control_socket'));
  const pid = async (): Promise<number> =>
    ((await jetwayJson(folder, ['status'])) as StatusView).pid;
  assert.equal(await pid(), first.child.pid);
  assert.equal(await first.end('SIGTERM'), 0);
  await until(async () => (await jetway(folder, ['status'])).code === 0);
  assert.equal(await pid(), second.child.pid);
  // One that was killed leaves its socket behind.
  await second.end('SIGKILL');
  assert.deepEqual(await jetway(folder, ['status']), { code: 1, stdout: '', stderr: nobody });
  const third = await startServer(t, folder);
  assert.equal(await pid(), third.child.pid);
});

test('a file that stands where the control socket is to be stays', async (t) => {
  const folder = workFolder(t, {
    'config.yaml': `${configText}control: ./precious\n`,
    precious: 'x',
  });
  const server = await startServer(t, folder);
  await until(() => server.printed().stderr.includes('a file that is no socket is there'));
  assert.equal(readFileSync(join(folder, 'precious'), 'utf8'), 'x');
});
