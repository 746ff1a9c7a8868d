// Owns a server of several worker processes on PostgreSQL, as its operator sees it.

import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import type { StatusView } from '../../../src/server/status.ts';
import { jetway, jetwayJson, putSecret, workFolder } from '../../cli/command.ts';
import { type ServerOptions, type ServerProcess, startServer } from '../../cli/server.ts';
import { testServer } from '../../support/postgres.ts';

export interface WorkersSite {
  readonly folder: string;
  readonly server: ServerProcess;
  readonly write: (path: string, text: string) => void;
  readonly status: () => Promise<StatusView>;
  /** The process of a worker. */
  readonly pidOf: (worker: number) => Promise<number>;
  readonly reload: (...args: readonly string[]) => ReturnType<typeof jetway>;
}

/** The configuration of a folder whose store is a new schema; it goes after the test. */
export async function configOnPostgres(t: TestContext): Promise<string> {
  const server = await testServer();
  const schema = server.newSchema();
  t.after(async () => {
    const client = await server.client();
    await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await client.end();
  });
  return `environment: staging
listen: 127.0.0.1:0
admin: 127.0.0.1:0
public_url: https://tokens.example
store: ${server.url(schema)}
master_key_file: ./master.key
control: ./control
stop_delay: 0s
`;
}

/** @param more keys of the configuration beside `workers` */
export async function openWorkers(
  t: TestContext,
  workers: number,
  more = '',
  files: Readonly<Record<string, string>> = {},
  options: ServerOptions = {},
): Promise<WorkersSite> {
  const config = `${await configOnPostgres(t)}workers: ${workers}\n${more}`;
  const folder = workFolder(t, { 'config.yaml': config, ...files });
  putSecret(folder, 'master.key', `${randomBytes(32).toString('base64url')}\n`);
  const server = await startServer(t, folder, options);
  const status = async (): Promise<StatusView> =>
    (await jetwayJson(folder, ['status'])) as StatusView;
  return {
    folder,
    server,
    write: (path, text) => writeFileSync(join(folder, path), text),
    status,
    pidOf: async (worker) => {
      const found = (await status()).workers?.find((one) => one.worker === worker);
      if (found === undefined) throw new Error(`there is no worker ${worker}`);
      return found.pid;
    },
    reload: (...args) => jetway(folder, ['reload', ...args]),
  };
}

/** Whether the process of a server's own, or any other, is there. */
export function isThere(pid: ChildProcess['pid']): boolean {
  try {
    process.kill(pid ?? 0, 0);
    return true;
  } catch {
    return false;
  }
}
