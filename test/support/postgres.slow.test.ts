// Owns the promise that tests run on a real PostgreSQL, and that it ends with the process that it was
// started for, also with one that is killed.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { Cluster } from '../../scripts/postgres/cluster.ts';
import { testServer } from './postgres.ts';
import { without } from './tools.ts';
import { until } from './until.ts';

const skip = without('postgres');

test('the server is of the promised release and takes writes of its role', { skip }, async (t) => {
  const server = await testServer();
  const client = await server.client();
  t.after(() => client.end());
  const schema = server.newSchema();
  await client.query(`CREATE SCHEMA ${schema} CREATE TABLE kept (name text)`);
  await client.query(`INSERT INTO ${schema}.kept VALUES ('a')`);
  const { rows } = await client.query(
    `SELECT name, current_setting('server_version_num')::int / 10000 AS release FROM ${schema}.kept`,
  );
  assert.deepEqual(rows, [{ name: 'a', release: 18 }]);
  assert.match(server.url(schema), /^postgres:\/\/jetway@127\.0\.0\.1:\d+\/jetway\?/);
});

test('a killed server keeps what it had committed, and starts again', { skip }, async (t) => {
  const cluster = await Cluster.make({ fsync: true });
  t.after(() => cluster.remove());
  await cluster.start();
  const before = await cluster.client();
  await before.query(`CREATE TABLE kept AS SELECT 'a' AS name`);
  await cluster.stop('crash');
  await assert.rejects(before.query('SELECT 1'));
  await cluster.start();
  const after = await cluster.client();
  const { rows } = await after.query('SELECT name FROM kept');
  await after.end();
  assert.deepEqual(rows, [{ name: 'a' }]);
});

test('no server stays when its process is killed', { skip }, async () => {
  const script = `
    import { Cluster } from './scripts/postgres/cluster.ts';
    const cluster = await Cluster.make();
    await cluster.start();
    console.log(JSON.stringify([cluster.folder, ...cluster.processes()]));
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const [folder, ...pids] = JSON.parse(line.toString()) as [string, ...number[]];
  assert.ok(pids.length > 2 && pids.every((pid) => existsSync(`/proc/${pid}`)));
  child.kill('SIGKILL');
  await until(() => !existsSync(folder) && !pids.some(isRunning));
});

/** What has ended stays a zombie (proc(5), Z) where the first process waits for nobody, as in containers. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
