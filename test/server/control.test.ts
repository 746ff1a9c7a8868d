// Tests of the control socket, and of settings that a running server takes up by it.

import assert from 'node:assert/strict';
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';

import type { StatusView } from '../../src/server/status.ts';
import { configText, jetway, jetwayJson, workFolder } from '../cli/command.ts';
import { startServer } from '../cli/server.ts';
import { until } from '../support/until.ts';
import { ask } from '../support/wire.ts';
import { operate, readiness, told } from './operated.ts';

test('settings: some are taken up, the others need a restart, a broken file changes none', async (t) => {
  const site = await operate(t, told);
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
  const reasons = [
    `gateway is not taken up: cannot listen on 127.0.0.1:${port} (gateway): something listens there already: stop it, or choose another address`,
  ];
  const degraded = { code: 200, status: 'degraded', reasons };
  assert.deepEqual(await readiness(site.server), degraded);
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

test('a control socket that was removed is made again, also by the end of another server', async (t) => {
  const folder = workFolder(t);
  const socket = join(folder, 'data/jetway.db.control');
  const first = await startServer(t, folder);
  const pid = async (): Promise<number | undefined> => {
    const { code, stdout } = await jetway(folder, ['status', '--json']);
    return code === 0 ? (JSON.parse(stdout) as StatusView).pid : undefined;
  };
  rmSync(socket);
  await until(async () => (await pid()) === first.child.pid);
  rmSync(socket);
  const second = await startServer(t, folder);
  await first.end('SIGTERM');
  await until(async () => (await pid()) === second.child.pid);
});

test('HOSTILE 61: a server is no worker because its environment says so', async (t) => {
  for (const value of ['1/1', 'x']) {
    const folder = workFolder(t, { 'config.yaml': told });
    const { url, end } = await startServer(t, folder, { env: { JETWAY_WORKER: value } });
    assert.equal((await ask(url, '/club/verify/none')).status, 401, value);
    assert.equal(await end('SIGTERM'), 0);
  }
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

test('HOSTILE 49: no request on the control socket ends the server', async (t) => {
  const folder = workFolder(t);
  const { child } = await startServer(t, folder);
  const answers = ['GET //%', 'GET *', 'POST http://%', 'get /status', 'CONNECT x'].map((line) =>
    askSocket(join(folder, 'data/jetway.db.control'), `${line} HTTP/1.1\r\nHost: x\r\n\r\n`),
  );
  const statuses = (await Promise.all(answers)).map((answer) => answer.slice(9, 12));
  assert.deepEqual(statuses, ['404', '404', '404', '400', '']);
  const { pid } = (await jetwayJson(folder, ['status'])) as StatusView;
  assert.equal(pid, child.pid);
});

function askSocket(path: string, sent: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(path, () => socket.write(sent));
    socket.on('data', (part: Buffer) => (answer += part.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

test('HOSTILE 49: a reload signs nothing but who asked for it, in known keys', async (t) => {
  const folder = workFolder(t, { 'config.yaml': `${told}audit: { file: ./audit.jsonl }\n` });
  const { printed } = await startServer(t, folder);
  const asked = async (by: string): Promise<string> => {
    const query = new URLSearchParams({ by }).toString();
    const line = `POST /reload?${query} HTTP/1.1\r\nHost: x\r\n\r\n`;
    return (await askSocket(join(folder, 'data/jetway.db.control'), line)).slice(9, 12);
  };
  const forged = { event: 'token_revoked', time: 'y', hash: 'z', mac: 'z', note: 'x\n', pid: 7 };
  assert.equal(await asked(JSON.stringify(forged)), '200');
  for (const by of [
    '',
    '{"user":5}',
    '{"user":{"a":1}}',
    '{"uid":"1"}',
    JSON.stringify({ host: 'x'.repeat(256) }),
  ]) {
    assert.equal(await asked(by), '500', by);
  }
  const asks = (): readonly string[] =>
    readFileSync(join(folder, 'audit.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"reload_asked"'));
  await until(() => asks().length > 0);
  const lines = asks();
  assert.equal(lines.length, 1);
  const { time, event, pid, ...rest } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  assert.match(String(time), /^\d{4}-/);
  assert.deepEqual([event, pid], ['reload_asked', 7]);
  assert.doesNotMatch(JSON.stringify(rest), /"note"|"[yz]"/);
  assert.equal((await jetway(folder, ['audit', 'verify'])).code, 0);
  assert.doesNotMatch(printed().stderr, /TypeError/);
});

test('FAULTS 18: gateways are answered while another listener for them is tried', async (t) => {
  const folder = workFolder(t, { 'config.yaml': told });
  const preload = ['test/support/slow_names.ts'];
  const { url, printed } = await startServer(t, folder, { preload });
  writeFileSync(join(folder, 'config.yaml'), `${told}gateway: slow.example:9000\n`);
  const reload = jetway(folder, ['reload']);
  // Its attempt takes a second.
  const statuses = new Set<number>();
  await until(async () => {
    statuses.add((await ask(url, '/club/verify/none')).status);
    return printed().stderr.includes('setting_refused');
  });
  assert.deepEqual([...statuses], [401]);
  assert.equal((await reload).code, 3);
});

test('FAULTS 19: a server that stops takes nothing up any more', async (t) => {
  const site = await operate(t, told);
  const { url, child, printed, ended } = site.server;
  // Half a request, which the server waits for.
  const held = connect(Number(new URL(url).port), '127.0.0.1');
  t.after(() => held.destroy());
  held.write('POST /club/api/grant HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na');
  await ask(url, '/club/api/grant');
  child.kill('SIGTERM');
  await until(async () => (await jetway(site.folder, ['status'])).code !== 0);
  site.write('config.yaml', `${told}gateway: 127.0.0.1:0\n`);
  child.kill('SIGHUP');
  await until(() =>
    printed().stderr.includes('"reload_failed","detail":"Error: the server stops"'),
  );
  held.end('b');
  assert.equal(await ended(), 0);
});

test('gateway moves to another host on its port by a reload, and stays if it cannot', async (t) => {
  const free = createServer().listen(0, '127.0.0.1');
  await until(() => free.listening);
  const { port } = free.address() as { readonly port: number };
  free.close();
  const site = await operate(t, `${told}gateway: 127.0.0.1:${port}\n`);
  const asked = async (host: string): Promise<number | undefined> =>
    ask(`http://${host}:${port}`, '/club/verify/none').then(
      ({ status }) => status,
      () => undefined,
    );
  assert.equal(await asked('127.0.0.1'), 401);
  site.write('config.yaml', `${told}gateway: 127.0.0.2:${port}\n`);
  const moved = await site.reload();
  assert.deepEqual(
    [moved.code, moved.stdout],
    [0, 'gateway: taken up\n1 of 1 programmes unchanged\n'],
  );
  assert.deepEqual([await asked('127.0.0.2'), await asked('127.0.0.1')], [401, undefined]);
  // No machine has this address.
  site.write('config.yaml', `${told}gateway: 192.0.2.1:${port}\n`);
  const refused = await site.reload();
  assert.equal(refused.code, 3);
  assert.match(refused.stdout, /^gateway: not taken up: cannot listen on 192\.0\.2\.1:/);
  assert.equal(await asked('127.0.0.2'), 401);
  site.write('config.yaml', `${told}gateway: 0.0.0.0:${port}\n`);
  assert.equal((await site.reload()).code, 0);
  assert.deepEqual([await asked('127.0.0.1'), await asked('127.0.0.2')], [401, 401]);
});
