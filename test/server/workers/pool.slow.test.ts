// Tests of a server whose requests several processes answer: to everybody outside it is one.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { StatusView } from '../../../src/server/status.ts';
import { jetway, jetwayWith, programmeText, putSecret, workFolder } from '../../cli/command.ts';
import { logLines } from '../../support/log_lines.ts';
import { without } from '../../support/tools.ts';
import { until } from '../../support/until.ts';
import { ask } from '../../support/wire.ts';
import {
  configOnPostgres,
  eventsIn,
  isServed,
  isThere,
  operate,
  type OperatedSite,
  readiness,
} from '../operated.ts';

const skip = without('postgres');

type Counts = Readonly<Record<string, number>> | undefined;

async function metricsOf({ server }: OperatedSite): Promise<ReadonlyMap<string, number>> {
  const { body } = await ask(server.admin, '/metrics');
  const samples = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

async function openWorkers(t: TestContext, workers: number, more = ''): Promise<OperatedSite> {
  return operate(t, `${await configOnPostgres(t)}workers: ${workers}\n${more}`);
}

/** Each on a connection of its own, so that every worker gets some. */
async function askMany({ server }: OperatedSite, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const answer = await fetch(`${server.url}/club/api/grant`, {
      headers: { connection: 'close' },
    });
    await answer.text();
  }
}

const missing = 'jetway_requests_total{programme="club",endpoint="token",status="405"}';

test(
  'several workers are one server to status, metrics, health and the log',
  { skip },
  async (t) => {
    const site = await openWorkers(t, 2);
    const status = await site.status();
    assert.equal(status.pid, site.server.child.pid);
    assert.deepEqual(status.health, { status: 'ready', reasons: [] });
    const workers = status.workers ?? [];
    assert.deepEqual(
      workers.map(({ worker }) => worker),
      [1, 2],
    );
    assert.equal(new Set(workers.map(({ pid }) => pid)).size, 2);
    assert.deepEqual(
      workers.map(({ node }) => node),
      [0, 1],
    );
    await askMany(site, 20);
    const metrics = await metricsOf(site);
    assert.equal(metrics.get(missing), 20);
    assert.equal(metrics.get('jetway_workers'), 2);
    assert.deepEqual(await readiness(site.server), { code: 200, status: 'ready', reasons: [] });
    const health = await jetway(site.folder, ['healthcheck', '--json']);
    assert.equal(health.code, 0);
    const lines = logLines(site.server.printed().stderr);
    assert.equal(lines.filter(({ event }) => event === 'request').length, 20);
  },
);

test(
  'a worker that is killed is started again, and what it counted counts on',
  { skip },
  async (t) => {
    const site = await openWorkers(t, 2);
    await askMany(site, 10);
    assert.equal((await metricsOf(site)).get(missing), 10);
    const former = await site.pidOf(2);
    process.kill(former, 'SIGKILL');
    await until(() => eventsIn(site).some(({ event }) => event === 'worker_started'));
    assert.notEqual(await site.pidOf(2), former);
    assert.deepEqual(await readiness(site.server), { code: 200, status: 'ready', reasons: [] });
    await askMany(site, 10);
    const metrics = await metricsOf(site);
    assert.equal(metrics.get(missing), 20);
    assert.equal(metrics.get('jetway_worker_ends_total'), 1);
    const ended = eventsIn(site).find(({ event }) => event === 'worker_ended');
    assert.equal(ended?.['detail'], `worker 2 (process ${former}) has ended by SIGKILL`);
  },
);

test('a reload is taken up by all workers, and told once', { skip }, async (t) => {
  const site = await openWorkers(t, 3, 'watch_programmes: false\n');
  site.write('programmes/harbour.yaml', programmeText('Harbour'));
  const { code, stdout } = await site.reload();
  assert.deepEqual(
    { code, stdout },
    { code: 0, stdout: 'harbour: new, and served\n1 of 2 programmes unchanged\n' },
  );
  for (let index = 0; index < 12; index += 1) {
    const answer = await fetch(`${site.server.url}/harbour/api/grant`, {
      headers: { connection: 'close' },
    });
    assert.equal(answer.status, 405);
  }
  const told = eventsIn(site).filter(({ event }) => event === 'programme_added');
  assert.equal(told.length, 1);
  assert.deepEqual((await site.status()).health, { status: 'ready', reasons: [] });
  const stream = readFileSync(join(site.folder, 'audit.jsonl'), 'utf8');
  assert.equal(stream.match(/"event":"programme_added"/g)?.length, 1);
  assert.equal((await jetway(site.folder, ['audit', 'verify'])).code, 0);
});

test(
  'a worker that is started again serves the version that the others serve',
  { skip },
  async (t) => {
    const site = await openWorkers(t, 2);
    site.write('programmes/club.yaml', 'variant: grant\nname: [\n');
    const isTold = ({ health }: StatusView): boolean =>
      [1, 2].every((worker) =>
        health.reasons.some((reason) => reason.startsWith(`worker ${worker}: the file of club is`)),
      );
    const isSame = ({ health }: StatusView): boolean =>
      health.reasons.length === 1 && health.reasons[0]?.startsWith('the file of club is') === true;
    const isDegraded = (view: StatusView): boolean => isTold(view) || isSame(view);
    await until(async () => isDegraded(await site.status()));
    const [club] = (await site.status()).programmes;
    const former = await site.pidOf(1);
    process.kill(former, 'SIGKILL');
    await until(() => eventsIn(site).some(({ event }) => event === 'worker_started'));
    const after = await site.status();
    assert.equal(after.programmes[0]?.sha256, club?.sha256);
    assert.ok(isDegraded(after), after.health.reasons.join('; '));
    assert.ok(eventsIn(site).some(({ event }) => event === 'last_version_served'));
    assert.ok(await isServed(site.server, 'club'));
  },
);

test(
  'FAULTS 16: a worker starts again by the configuration of the others while the file is broken',
  { skip },
  async (t) => {
    const site = await openWorkers(t, 2, 'watch_programmes: false\n');
    const sound = readFileSync(join(site.folder, 'config.yaml'), 'utf8');
    const second = await site.pidOf(2);
    site.write('config.yaml', `${sound}nonsense: 1\n`);
    site.server.child.kill('SIGHUP');
    await until(() => eventsIn(site).some(({ event }) => event === 'reload_failed'));
    process.kill(second, 'SIGKILL');
    await until(() => eventsIn(site).some(({ event }) => event === 'worker_started'));
    site.write('config.yaml', sound);
    assert.equal((await site.status()).workers?.length, 2);
    assert.equal((await site.reload()).code, 0);
    assert.deepEqual((await site.status()).health, { status: 'ready', reasons: [] });
  },
);

test(
  'FAULTS 16: status names a worker that refuses what another took up by watching',
  { skip },
  async (t) => {
    const site = await openWorkers(t, 2);
    const second = await site.pidOf(2);
    process.kill(second, 'SIGSTOP');
    site.write('programmes/club.yaml', programmeText('Another'));
    await until(() => eventsIn(site).some(({ event }) => event === 'programme_changed'));
    site.write('programmes/club.yaml', 'variant: grant\nname: [\n');
    await until(() => eventsIn(site).some(({ event }) => event === 'programme_not_taken_up'));
    process.kill(second, 'SIGCONT');
    const reasons = async (): Promise<readonly string[]> => (await site.status()).health.reasons;
    await until(async () => (await reasons()).some((reason) => reason.startsWith('worker 2: ')));
    const told = (await reasons()).filter((reason) =>
      /^worker [12]: the file of club/.test(reason),
    );
    assert.equal(told.length, 2);
    assert.equal((await site.status()).health.status, 'degraded');
    const { code, stdout } = await site.reload();
    assert.equal(code, 3);
    assert.match(stdout, /club: not taken up; its last version is still served/);
    site.write('programmes/club.yaml', programmeText('Another'));
    assert.equal((await site.reload()).code, 0);
    await until(async () => (await reasons()).length === 0);
  },
);

test('FAULTS 19: one signal stops all; nobody is left behind', { skip }, async (t) => {
  const site = await openWorkers(t, 2);
  const pids = (await site.status()).workers?.map(({ pid }) => pid) ?? [];
  // As a terminal or a service manager does: the same to each process.
  for (const pid of pids) process.kill(pid, 'SIGTERM');
  assert.ok(await isServed(site.server, 'club'));
  assert.equal(await site.server.end('SIGTERM'), 0);
  assert.deepEqual(pids.map(isThere), [false, false]);
});

test('workers end with the process that started them', { skip }, async (t) => {
  const site = await openWorkers(t, 2);
  const pids = (await site.status()).workers?.map(({ pid }) => pid) ?? [];
  await site.server.end('SIGKILL');
  await until(() => !pids.some(isThere));
});

test('a reload that one worker cannot take up exits with 3 and names it', { skip }, async (t) => {
  const site = await openWorkers(t, 2, 'watch_programmes: false\n');
  const workers = (await site.status()).workers ?? [];
  const [, second] = workers;
  // It takes part no more, while it has not ended yet.
  process.kill(second?.pid ?? 0, 'SIGSTOP');
  site.write('programmes/harbour.yaml', programmeText('Harbour'));
  const reload = site.reload();
  // By then the other one is ready.
  await sleep(1500);
  process.kill(second?.pid ?? 0, 'SIGKILL');
  assert.deepEqual(await reload, {
    code: 3,
    stdout: `worker 2 (process ${second?.pid}) has ended by SIGKILL\nharbour: new, and served\n1 of 2 programmes unchanged\n`,
    stderr: '',
  });
  await until(() => eventsIn(site).some(({ event }) => event === 'worker_started'));
  assert.equal((await site.reload()).code, 0);
  assert.ok(await isServed(site.server, 'harbour'));
});

test('FAULTS 21: a reload does not wait for a worker that stands still', { skip }, async (t) => {
  const site = await openWorkers(t, 2, 'watch_programmes: false\n');
  const second = await site.pidOf(2);
  process.kill(second, 'SIGSTOP');
  site.write('programmes/harbour.yaml', programmeText('Harbour'));
  const begun = performance.now();
  const { code, stdout } = await site.reload();
  assert.ok(performance.now() - begun < 10_000);
  assert.deepEqual(
    [code, stdout],
    [
      3,
      `worker 2 (process ${second}) does not answer: its event loop stands still; ask again once it goes on\nharbour: new, and served\n1 of 2 programmes unchanged\n`,
    ],
  );
  process.kill(second, 'SIGCONT');
  // It finds its database away for a moment, and takes up nothing then.
  await until(async () => (await site.reload()).code === 0);
  await until(async () => (await site.status()).health.status === 'ready');
});

test(
  'what keeps a worker from starting ends the server with its exit code and message',
  { skip },
  async (t) => {
    const config = `${await configOnPostgres(t)}workers: 2\n`;
    const folder = workFolder(t, { 'config.yaml': config });
    const { code, stderr } = await jetwayWith(folder, {}, ['serve']);
    assert.equal(code, 4);
    assert.match(
      stderr,
      /^\S*master\.key does not exist, and no key is made for a store that many/,
    );
    putSecret(folder, 'master.key', `${randomBytes(32).toString('base64url')}\n`);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    writeFileSync(join(folder, 'config.yaml'), config.replace('127.0.0.1:0', `127.0.0.1:${port}`));
    const second = await jetwayWith(folder, {}, ['serve']);
    assert.deepEqual(
      [second.code, second.stderr],
      [
        1,
        `cannot listen on 127.0.0.1:${port} (listen): something listens there already: stop it, or choose another address\n`,
      ],
    );
  },
);

test(
  'FAULTS 31: the lines of all workers are whole, in one file that is opened anew',
  { skip },
  async (t) => {
    const site = await openWorkers(t, 3, 'log: { file: ./jetway.log }\n');
    const many = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 8 }, () => askMany(site, 25)));
    await many();
    const path = join(site.folder, 'jetway.log');
    renameSync(path, `${path}.1`);
    site.server.child.kill('SIGWINCH');
    await until(() => existsSync(path));
    await many();
    assert.equal(await site.server.end('SIGTERM'), 0);
    const lines = [`${path}.1`, path].flatMap((one) => logLines(readFileSync(one, 'utf8')));
    const leftOut = lines.map(({ lines: counts }) => (counts as Counts)?.['request club'] ?? 0);
    const written = lines.filter(({ event }) => event === 'request').length;
    assert.equal(
      leftOut.reduce((sum, one) => sum + one, written),
      400,
    );
  },
);

test('gateway moves to another host on its port in all workers', { skip }, async (t) => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  const site = await openWorkers(t, 2, `gateway: 127.0.0.1:${port}\n`);
  const path = join(site.folder, 'config.yaml');
  const moved = readFileSync(path, 'utf8').replace(`127.0.0.1:${port}`, `127.0.0.2:${port}`);
  writeFileSync(path, moved);
  const { code, stdout } = await site.reload();
  assert.deepEqual([code, stdout], [0, 'gateway: taken up\n1 of 1 programmes unchanged\n']);
  for (let index = 0; index < 6; index += 1) {
    assert.equal((await ask(`http://127.0.0.2:${port}`, '/club/verify/none')).status, 401);
  }
});
