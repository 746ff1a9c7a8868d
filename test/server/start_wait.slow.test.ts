// Owns the promises of a server that starts before its database: it waits, says so, and ends at a signal.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { Cluster } from '../../scripts/postgres/cluster.ts';
import { configText, environment, jetway, workFolder } from '../cli/command.ts';
import { openNotifySocket } from '../support/notify_socket.ts';
import { program } from '../support/program.ts';
import { without } from '../support/tools.ts';
import { until } from '../support/until.ts';

interface Starting {
  readonly child: ChildProcess;
  readonly printed: () => { readonly stdout: string; readonly stderr: string };
  /** What the operators' listener answers; status 0 while nothing listens. */
  readonly asks: (path: string) => Promise<{ readonly status: number; readonly body: string }>;
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
  /** The log's events so far. */
  readonly events: () => readonly { readonly event: string; readonly detail: string }[];
}

/** A folder whose store is a database at that port. */
function siteFor(t: TestContext, port: number, more = '', host = '127.0.0.1'): string {
  // Away from this machine TLS is a must.
  const mode = host === '127.0.0.1' ? 'disable' : 'verify-full';
  const url = `postgres://jetway@${host}:${port}/jetway?sslmode=${mode}`;
  const rest = `admin: unix:./admin.sock\nstop_delay: 0s\nmaster_key_file: ./master.key\n${more}`;
  const config = configText
    .replace(/^store: .*\n/m, `store: ${url}\n${rest}`)
    .replace(/^listen: .*\n/m, 'listen: 127.0.0.1:0\n');
  const folder = workFolder(t, { 'config.yaml': config });
  const key = Buffer.alloc(32, 7).toString('base64url');
  writeFileSync(join(folder, 'master.key'), `${key}\n`, { mode: 0o600 });
  return folder;
}

function begin(t: TestContext, folder: string, env: Record<string, string> = {}): Starting {
  const child = spawn(process.execPath, [program, 'serve'], {
    cwd: folder,
    env: { ...environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => (printed[name] += chunk.toString()));
  }
  const ended = once(child, 'close') as Promise<[number | null]>;
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return (await ended)[0];
  };
  t.after(() => end('SIGKILL'));
  return {
    child,
    printed: () => printed,
    end,
    asks: (path) =>
      new Promise((resolve) => {
        const asked = request({ socketPath: join(folder, 'admin.sock'), path }, (answer) => {
          void text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }));
        });
        asked.on('error', () => resolve({ status: 0, body: '' }));
        asked.end();
      }),
    events: () =>
      printed.stderr
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as { event: string; detail: string }),
  };
}

async function cluster(t: TestContext): Promise<Cluster> {
  const made = await Cluster.make();
  t.after(() => made.remove());
  return made;
}

const named = ({ events }: Starting, name: string) =>
  events().filter(({ event }) => event === name);
const isReady = (server: Starting) => async (): Promise<boolean> =>
  (await server.asks('/readyz')).status === 200;

/** A database that answers every connection with one error, as PostgreSQL words it on the wire. */
async function refusing(t: TestContext, code: () => string): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const fields = Buffer.from(`SFATAL\0VFATAL\0C${code()}\0Mrefused by the test\0\0`);
      const head = Buffer.alloc(5);
      head.write('E');
      head.writeInt32BE(4 + fields.length, 1);
      socket.end(Buffer.concat([head, fields]));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe(
  'FAULTS 39: a server that starts before its database',
  { skip: without('postgres') },
  () => {
    test('waits, says so in log and health, and serves once the database is there', async (t) => {
      const database = await cluster(t);
      const folder = siteFor(t, database.port);
      const server = begin(t, folder);
      await until(async () => (await server.asks('/livez')).status === 200);
      const { status, body } = await server.asks('/readyz?verbose');
      assert.equal(status, 503);
      const { parts } = JSON.parse(body) as { parts: Record<string, { reasons: string[] }> };
      assert.deepEqual(parts['server'], { status: 'unready', reasons: ['starting'] });
      assert.match(
        String(parts['store']?.reasons),
        /no primary of PostgreSQL answers .*ECONNREFUSED/,
      );
      const metrics = (await server.asks('/metrics')).body;
      assert.match(metrics, /^jetway_health\{part="store"\} 0$/m);
      const command = await jetway(folder, ['client', 'list']);
      assert.equal(command.code, 4);
      assert.match(command.stderr, /^the store does not answer .*: try again\n$/);
      await sleep(2500);
      assert.equal(named(server, 'store_awaited').length, 1);
      await database.start();
      await until(isReady(server));
      assert.equal(named(server, 'store_reached').length, 1);
      // As `pgrep -x jetway` finds it.
      assert.equal(readFileSync(`/proc/${server.child.pid}/comm`, 'utf8'), 'jetway\n');
      assert.match(server.printed().stdout, /^admin: unix:\S+admin\.sock\n.* serves club/m);
      const after = await server.asks('/metrics');
      assert.match(after.body, /^jetway_health\{part="store"\} 1$/m);
      assert.match(after.body, /^jetway_programme_served\{programme="club"\} 1$/m);
      assert.equal(await server.end('SIGTERM'), 0);
    });

    test(
      'has the service manager wait with it',
      { skip: without('python3', 'systemd-notify') },
      async (t) => {
        const { path, heard } = await openNotifySocket(t);
        const database = await cluster(t);
        const server = begin(t, siteFor(t, database.port), { NOTIFY_SOCKET: path });
        await until(() => heard.length === 1);
        await database.start();
        await until(() => heard.length === 2);
        assert.deepEqual(
          heard.map((message) => message.replace(/ http:.*/, '')),
          [
            'EXTEND_TIMEOUT_USEC=60000000\nSTATUS=the store does not answer: waiting for it',
            'READY=1\nSTATUS=1 of 1 programmes at',
          ],
        );
        assert.equal(await server.end('SIGTERM'), 0);
      },
    );

    for (const [signal, workers] of [
      ['SIGTERM', 1],
      ['SIGINT', 1],
      ['SIGTERM', 2],
    ] as const) {
      test(`ends at once at ${signal}, with 0 (${workers} of workers)`, async (t) => {
        const database = await cluster(t);
        const server = begin(t, siteFor(t, database.port, `workers: ${workers}\n`));
        await until(async () => (await server.asks('/readyz')).status === 503);
        const { pid } = server.child;
        const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
        const begun = performance.now();
        assert.equal(await server.end(signal), 0);
        assert.ok(performance.now() - begun < 1000, 'it took its time');
        const workerPids = children.filter(Boolean);
        assert.equal(workerPids.length, workers - 1 && 1);
        await until(() => workerPids.every((one) => !isAlive(one)), 'a worker is left');
      });
    }

    test('serves with several workers, too, once the database is there', async (t) => {
      const database = await cluster(t);
      const server = begin(t, siteFor(t, database.port, 'workers: 2\n'));
      await until(async () => (await server.asks('/readyz')).status === 503);
      await database.start();
      await until(isReady(server));
      assert.match((await server.asks('/metrics')).body, /^jetway_workers 2$/m);
      assert.equal(await server.end('SIGTERM'), 0);
    });

    for (const table of ['meta', 'registered']) {
      test(`a database that is killed while it begins (${table}) is waited for`, async (t) => {
        const database = await cluster(t);
        await database.start();
        const folder = siteFor(t, database.port);
        assert.equal((await jetway(folder, ['client', 'list'])).code, 0);
        // The server stands at its first look at the table when its database goes.
        const client = await database.client();
        await client.query(`BEGIN; LOCK TABLE jetway.${table} IN ACCESS EXCLUSIVE MODE`);
        const server = begin(t, folder);
        await until(async () => {
          const { rows } = await client.query<{ waits: boolean }>(
            'SELECT bool_or(NOT granted) AS waits FROM pg_locks',
          );
          return rows[0]?.waits === true;
        });
        await database.stop('crash');
        await until(() => named(server, 'store_awaited').length === 1);
        await database.start();
        await until(isReady(server));
        assert.equal(await server.end('SIGTERM'), 0);
      });
    }

    test('a name that nobody knows yet, and a database that starts, are waited for', async (t) => {
      const unknown = begin(t, siteFor(t, 5432, '', 'database.invalid'));
      await until(() => named(unknown, 'store_awaited').length === 1);
      assert.match(named(unknown, 'store_awaited')[0]?.detail ?? '', /ENOTFOUND|EAI_AGAIN/);
      assert.equal(await unknown.end('SIGTERM'), 0);
      let code = '57P03';
      const server = begin(t, siteFor(t, await refusing(t, () => code)));
      await until(() => named(server, 'store_awaited').length === 1);
      assert.match(named(server, 'store_awaited')[0]?.detail ?? '', /refused by the test/);
      // A wrong password is nothing to wait for.
      code = '28P01';
      await until(() => server.child.exitCode !== null);
      assert.equal(server.child.exitCode, 4);
    });

    test('a store that is foreign, newer, or not there is refused at once, with 4', async (t) => {
      const database = await cluster(t);
      await database.start();
      const folder = siteFor(t, database.port);
      assert.equal((await jetway(folder, ['client', 'list'])).code, 0);
      const client = await database.client();
      const put = (name: string, value: string) =>
        client.query('UPDATE jetway.meta SET value = $2 WHERE name = $1', [name, value]);
      const refusedAs = async (words: RegExp): Promise<void> => {
        const server = begin(t, folder);
        assert.equal((await once(server.child, 'close'))[0], 4);
        assert.match(server.printed().stderr, words);
        assert.deepEqual(server.events(), []);
      };
      await put('environment', 'live');
      await refusedAs(/belongs to environment live/);
      await put('environment', 'staging');
      await put('schema', '99');
      await refusedAs(/has schema 99/);
      const path = join(folder, 'config.yaml');
      writeFileSync(path, readFileSync(path, 'utf8').replace('/jetway?', '/nothing?'));
      await refusedAs(/database "nothing" does not exist/);
      await client.end();
    });
  },
);

function isAlive(pid: string): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
