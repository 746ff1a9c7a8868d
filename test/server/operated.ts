// Owns a running server, of one process or of several workers, as its operator sees it.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import type { StatusView } from '../../src/server/status.ts';
import { configText, jetway, jetwayJson, putSecret, workFolder } from '../cli/command.ts';
import { type ServerOptions, type ServerProcess, startServer } from '../cli/server.ts';
import { eventLines } from '../support/log_lines.ts';
import { nameHere } from '../support/name_here.ts';
import { scratchSchema } from '../support/postgres.ts';
import { ask } from '../support/wire.ts';

export interface OperatedSite {
  readonly folder: string;
  readonly server: ServerProcess;
  readonly write: (path: string, text: string) => void;
  /** What `jetway status --json` prints. */
  readonly status: () => Promise<StatusView>;
  /** The process of a worker. */
  readonly pidOf: (worker: number) => Promise<number>;
  readonly reload: (...args: readonly string[]) => ReturnType<typeof jetway>;
}

/** Files are taken up when they are told to be: without a watch, nothing happens in between. */
export const told: string = `${configText}admin: ${nameHere}:0\nstop_delay: 0s\nwatch_programmes: false\n`;
export const watched: string = `${configText}admin: 127.0.0.1:0\n`;

/** Starts the server of a new folder with a configuration and more files. */
export async function operate(
  t: TestContext,
  config: string,
  files: Readonly<Record<string, string>> = {},
  options: ServerOptions = {},
): Promise<OperatedSite> {
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

/** The configuration of a folder whose store is a new schema; it goes after the test. */
export async function configOnPostgres(t: TestContext): Promise<string> {
  const { url } = await scratchSchema(t);
  return `environment: staging
listen: 127.0.0.1:0
admin: 127.0.0.1:0
public_url: https://tokens.example
store: ${url}
master_key_file: ./master.key
control: ./control
stop_delay: 0s
`;
}

export async function isServed({ url }: ServerProcess, name: string): Promise<boolean> {
  return (await ask(url, `/${name}/api/grant`)).status !== 404;
}

export async function readiness({ admin }: ServerProcess): Promise<unknown> {
  const { status, body } = await ask(admin, '/readyz');
  return { code: status, ...(JSON.parse(body) as object) };
}

export function eventsIn({
  server,
}: Pick<OperatedSite, 'server'>): readonly Record<string, string>[] {
  return eventLines(server.printed().stderr).map(
    (line) => JSON.parse(line) as Record<string, string>,
  );
}

/** Whether the process of a server's own, or any other, is there. */
export function isThere(pid: number | undefined): boolean {
  try {
    process.kill(pid ?? 0, 0);
    return true;
  } catch {
    return false;
  }
}
