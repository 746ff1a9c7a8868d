// Tests of the operators' listener and `healthcheck`, as an operator meets them.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

import { configText, jetway, jetwayJson, programmeText, workFolder } from '../cli/command.ts';
import { startServer } from '../cli/server.ts';
import { until } from '../support/until.ts';

interface Told {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

function askSocket(
  socketPath: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Told> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, headers, agent: false }, (answer) => {
      const { statusCode: status, headers: told } = answer;
      const type = told['content-type'];
      text(answer).then((body) => resolve({ status, type, body }), reject);
    });
    sent.on('error', reject).end();
  });
}

const ready = { status: 'ready', reasons: [] };
const parts = {
  server: ready,
  store: ready,
  programmes: ready,
  reload: ready,
  certificates: ready,
  keys: ready,
  audit: ready,
  nodes: ready,
  clock: ready,
  maintenance: ready,
};
const config = `${configText}admin: unix:./admin.sock\nstop_delay: 0s\n`;

test('FAULTS 16: health and metrics at a unix socket tell of each part', async (t) => {
  const folder = workFolder(t, { 'config.yaml': config });
  const socket = join(folder, 'admin.sock');
  const server = await startServer(t, folder);
  assert.match(server.printed().stdout, /^admin: unix:\S+\/admin\.sock$/m);
  assert.equal(statSync(socket).mode & 0o777, 0o660);

  const plain = await askSocket(socket, '/readyz');
  assert.deepEqual([plain.status, JSON.parse(plain.body)], [200, ready]);
  const verbose = await askSocket(socket, '/readyz?verbose');
  assert.deepEqual([verbose.status, JSON.parse(verbose.body)], [200, { ...ready, parts }]);
  assert.deepEqual(await jetwayJson(folder, ['healthcheck']), { ...ready, parts });
  assert.deepEqual(await jetwayJson(folder, ['healthcheck', '--live']), { status: 'alive' });

  const metrics = await askSocket(socket, '/metrics');
  assert.equal(metrics.type, 'text/plain; version=0.0.4; charset=utf-8');
  assert.match(metrics.body, /^jetway_last_reload_successful 1$/m);
  // What alerts ask for stands at 0 before the first failure.
  const watched = /^jetway_request_failures_total\{.+,reason="(\w+)"\} 0$/gm;
  assert.deepEqual(
    Array.from(metrics.body.matchAll(watched), ([, reason]) => reason),
    ['server_error', 'temporarily_unavailable', 'client_authentication_failed', 'not_recognised'],
  );
  const accept = 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5';
  const open = await askSocket(socket, '/metrics', { accept });
  assert.equal(open.type, 'application/openmetrics-text; version=1.0.0; charset=utf-8');
  assert.match(open.body, /\n# EOF\n$/);

  // A broken file: the old version is served, and everything says so.
  writeFileSync(join(folder, 'programmes/club.yaml'), 'variant: nonsense\n');
  writeFileSync(join(folder, 'programmes/other.yaml'), 'variant: nonsense\n');
  await jetway(folder, ['reload']);
  await jetway(folder, ['maintenance', 'on', 'club']);
  const { body } = await askSocket(socket, '/metrics');
  for (const line of [
    'jetway_last_reload_successful 0',
    'jetway_health{part="programmes"} 0.5',
    'jetway_programme_served{programme="club"} 1',
    'jetway_programme_up_to_date{programme="club"} 0',
    'jetway_programme_served{programme="other"} 0',
    'jetway_programme_maintenance{programme="club"} 1',
  ]) {
    assert.ok(body.includes(`\n${line}\n`), `${line} is not in ${body}`);
  }
  const { code, stdout } = await jetway(folder, ['healthcheck']);
  assert.equal(code, 0);
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
  assert.match(
    stdout,
    new RegExp(
      `^  health +degraded\n  server +ready\n  store +ready\n  programmes +degraded\n +the file of club is not taken up: its version of ${time} is served\n +other is not served\n  reload +ready\n  certificates +ready\n  keys +ready\n  audit +ready\n  nodes +ready\n  clock +ready\n  maintenance +ready\n +club is in maintenance since ${time}\n$`,
    ),
  );

  writeFileSync(join(folder, 'programmes/club.yaml'), programmeText('Club'));
  // The place of a server that was killed is free; that of one that runs is not.
  const second = await jetway(folder, ['serve']);
  assert.equal(second.code, 1);
  assert.match(
    second.stderr,
    /cannot listen on \S+\/admin\.sock \(admin\): something listens there/,
  );
  await server.end('SIGKILL');
  const dead = await jetway(folder, ['healthcheck', '--live']);
  assert.deepEqual([dead.code, dead.stdout], [1, '']);
  const gone = await jetway(folder, ['healthcheck']);
  assert.deepEqual([gone.code, gone.stdout], [1, '']);
  assert.match(
    gone.stderr,
    /nothing tells of its health at \S+\/admin\.sock \(admin\): Error: connect/,
  );
  await startServer(t, folder);
  await until(async () => (await askSocket(socket, '/livez')).status === 200);
});

test('healthcheck asks over the control socket where there is no admin', async (t) => {
  const folder = workFolder(t);
  const { code, stderr } = await jetway(folder, ['healthcheck']);
  assert.equal(code, 1);
  assert.match(stderr, /no server of this configuration runs/);
  await startServer(t, folder);
  assert.deepEqual(await jetwayJson(folder, ['healthcheck']), { ...ready, parts });
  assert.deepEqual(await jetwayJson(folder, ['healthcheck', '--live']), { status: 'alive' });
});

test('HOSTILE 75: healthcheck takes no answer for a good one but that of a ready server', async (t) => {
  const folder = workFolder(t, { 'config.yaml': config });
  let body = '';
  const stranger = createServer((_, answer) => answer.end(body));
  t.after(() => stranger.close());
  stranger.listen(join(folder, 'admin.sock'));
  await once(stranger, 'listening');
  const codeOf = async (answer: unknown): Promise<number | null> => {
    body = JSON.stringify(answer);
    return (await jetway(folder, ['healthcheck'])).code;
  };
  for (const status of [null, '', 'UP', 0, true, {}, ['ready']]) {
    assert.equal(await codeOf({ status }), 1, JSON.stringify(status));
  }
  assert.equal(await codeOf({}), 1);
  assert.equal(await codeOf({ status: 'degraded' }), 0);
});

test('check warns of an admin listener for other machines, and of no other', async (t) => {
  const checked = async (admin: string): Promise<string> => {
    const folder = workFolder(t, { 'config.yaml': `${configText}admin: ${admin}\n` });
    return (await jetway(folder, ['check'])).stdout;
  };
  const warning =
    /config\.yaml:5:8: warning: health and metrics are answered to other machines too \(listen on 127/;
  assert.match(await checked('0.0.0.0:9090'), warning);
  for (const own of ['127.0.0.1:9090', '"[::1]:9090"', 'unix:./admin.sock']) {
    assert.doesNotMatch(await checked(own), /: warning: /);
  }
  assert.match(
    await checked('"unix:"'),
    /error: expected a host and a port, such as .* or unix: and/,
  );
});
