// Owns the promise that a PostgreSQL for tests ends with the process that it was started for, also with one that is
// killed.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { without } from './tools.ts';
import { until } from './until.ts';

const skip = without('postgres');

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
