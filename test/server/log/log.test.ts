// The log of a real server: its lines, its file, and what a reload changes of it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { configText, jetway, programmeText, workFolder } from '../../cli/command.ts';
import { type ServerProcess, startServer } from '../../cli/server.ts';
import { eventLines, type LogLine, logLines } from '../../support/log_lines.ts';
import { without } from '../../support/tools.ts';
import { until } from '../../support/until.ts';

const folderOf = (t: TestContext, log: string): string =>
  workFolder(t, {
    'config.yaml': `${configText}log: ${log}\n`,
    'programmes/club.yaml': programmeText('Club'),
  });

const traceId = '0af7651916cd43dd8448eb211c80319c';

/** A request with a query that is nobody's business; returns its id. */
async function askFor(server: ServerProcess, path: string): Promise<string> {
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const { headers: answered } = await fetch(`${server.url}${path}?q=private`, { headers });
  return answered.get('x-request-id') ?? assert.fail();
}

const linesOf = (file: string): readonly LogLine[] =>
  existsSync(file) ? logLines(readFileSync(file, 'utf8')) : [];

async function untilIn(file: string, id: string): Promise<LogLine> {
  const find = (): LogLine | undefined => linesOf(file).find((line) => line['request_id'] === id);
  await until(() => find() !== undefined);
  return find() ?? assert.fail();
}

test('requests and commands have lines in the file, which is reopened by SIGWINCH and may move by reload', async (t) => {
  const folder = folderOf(t, '{ file: ./server.log, verify: all }');
  const server = await startServer(t, folder);
  const file = join(folder, 'server.log');
  const first = await untilIn(file, await askFor(server, '/club/verify/none'));
  const { time, duration_ms: duration, ...facts } = first;
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(typeof duration, 'number');
  assert.deepEqual(facts, {
    level: 'info',
    event: 'request',
    request_id: first['request_id'],
    programme: 'club',
    endpoint: 'verification',
    path: '/club/verify/*',
    method: 'GET',
    reason: 'unknown_parameter',
    step: 'demand',
    rule: 'verify',
    expected: "in the gateway's URL, level, scope, audience and key alone",
    came: '"q"',
    status: 400,
    trace_id: traceId,
  });
  // Not for everybody, whatever the mask.
  assert.equal(statSync(file).mode & 0o007, 0);

  renameSync(file, `${file}.1`);
  // Until it is told the server goes on in the file that it has open.
  await untilIn(`${file}.1`, await askFor(server, '/nowhere'));
  server.child.kill('SIGWINCH');
  await until(() => existsSync(file));
  const missing = await untilIn(file, await askFor(server, '/nowhere'));
  assert.deepEqual([missing['endpoint'], missing['path']], ['other', undefined]);

  const put = (log: string): void =>
    writeFileSync(join(folder, 'config.yaml'), `${configText}log: ${log}\n`);
  put('{ file: ./missing/server.log }');
  const refused = await jetway(folder, ['reload']);
  assert.equal(refused.code, 3);
  assert.match(refused.stdout, /^log: not taken up: the log cannot be written to .*: ENOENT$/m);
  put('{ file: ./other.log, level: error }');
  const taken = await jetway(folder, ['reload']);
  assert.match(taken.stdout, /^log: taken up$/m);
  const silent = await askFor(server, '/nowhere');
  put('{ file: ./other.log }');
  await jetway(folder, ['reload']);
  const last = await untilIn(join(folder, 'other.log'), await askFor(server, '/nowhere'));
  assert.equal(last.event, 'request');
  const commands = linesOf(join(folder, 'other.log')).filter(({ event }) => event === 'command');
  assert.deepEqual(
    commands.map(({ command, status }) => [command, status]),
    [['reload', 200]],
  );
  assert.equal(await server.end('SIGTERM'), 0);
  const lines = [file, join(folder, 'other.log')].flatMap(linesOf);
  const ids = new Set(lines.map((line) => line['request_id']));
  assert.ok(ids.has(last['request_id']) && !ids.has(silent));
  assert.equal(server.printed().stderr, '');
});

test('logrotate moves the file, and no line is lost', { skip: without('logrotate') }, async (t) => {
  const folder = folderOf(t, '{ file: ./server.log }');
  const server = await startServer(t, folder);
  const file = join(folder, 'server.log');
  const rules = join(folder, 'rotate.conf');
  writeFileSync(
    rules,
    `${file} {\n  rotate 3\n  missingok\n  postrotate\n    kill -WINCH ${server.child.pid}\n  endscript\n}\n`,
    { mode: 0o600 },
  );
  const asked: string[] = [];
  for (let round = 0; round < 2; round++) {
    asked.push(await askFor(server, '/nowhere'));
    const id = asked.at(-1) ?? '';
    await untilIn(file, id);
    execFileSync('logrotate', ['--force', '--state', join(folder, 'state'), rules]);
    await until(() => existsSync(file));
  }
  assert.equal(await server.end('SIGTERM'), 0);
  const found = [`${file}.2`, `${file}.1`, file].flatMap(linesOf).map((line) => line['request_id']);
  assert.deepEqual(found, asked);
});

test('serve refuses a log that it cannot write, and check tells of it', async (t) => {
  const folder = folderOf(t, '{ file: ./missing/server.log }');
  const served = await jetway(folder, ['serve']);
  assert.equal(served.code, 3);
  assert.match(served.stderr, /^the log cannot be written to .*missing\/server\.log: ENOENT$/m);
  const { code, stdout } = await jetway(folder, ['check']);
  assert.equal(code, 3);
  assert.match(
    stdout,
    /^\.\/config\.yaml:\d+:\d+: error: the folder of the file does not exist: make it$/m,
  );
});

test('FAULTS 27: a full disk under the log stops nothing; what it cost is counted', async (t) => {
  const folder = folderOf(t, '{ file: /dev/full }');
  const server = await startServer(t, folder);
  for (let round = 0; round < 3; round++) await askFor(server, '/nowhere');
  const file = join(folder, 'server.log');
  writeFileSync(join(folder, 'config.yaml'), `${configText}log: { file: ./server.log }\n`);
  assert.equal((await jetway(folder, ['reload'])).code, 0);
  assert.equal(await server.end('SIGTERM'), 0);
  const counts = eventLines(readFileSync(file, 'utf8'))
    .map((line) => JSON.parse(line) as { readonly lines?: Readonly<Record<string, number>> })
    .map(({ lines }) => lines?.['not written'] ?? 0);
  assert.equal(Math.max(...counts), 3);
});
