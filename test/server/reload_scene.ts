// Owns a running server whose files change, as its operator sees it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import type { StatusView } from '../../src/server/status.ts';
import { configText, jetway, jetwayJson, workFolder } from '../cli/command.ts';
import { type ServerProcess, startServer } from '../cli/server.ts';
import { eventLines } from '../support/log_lines.ts';
import { ask } from '../support/wire.ts';

export interface Site {
  readonly folder: string;
  readonly server: ServerProcess;
  readonly write: (path: string, text: string) => void;
  /** What `jetway status --json` prints. */
  readonly status: () => Promise<StatusView>;
  readonly reload: (...args: readonly string[]) => ReturnType<typeof jetway>;
}

/** Files are taken up when they are told to be: without a watch, nothing happens in between. */
export const told: string = `${configText}admin: 127.0.0.1:0\nstop_delay: 0s\nwatch_programmes: false\n`;
export const watched: string = `${configText}admin: 127.0.0.1:0\n`;

export async function openSite(
  t: TestContext,
  config: string,
  files: Readonly<Record<string, string>> = {},
): Promise<Site> {
  const folder = workFolder(t, { 'config.yaml': config, ...files });
  const server = await startServer(t, folder);
  return {
    folder,
    server,
    write: (path, text) => writeFileSync(join(folder, path), text),
    status: async () => (await jetwayJson(folder, ['status'])) as StatusView,
    reload: (...args) => jetway(folder, ['reload', ...args]),
  };
}

export async function isServed({ url }: ServerProcess, name: string): Promise<boolean> {
  return (await ask(url, `/${name}/api/grant`)).status !== 404;
}

export async function readiness({ admin }: ServerProcess): Promise<unknown> {
  const { status, body } = await ask(admin, '/readyz');
  return { code: status, ...(JSON.parse(body) as object) };
}

export function eventsIn({ server }: Pick<Site, 'server'>): readonly Record<string, string>[] {
  return eventLines(server.printed().stderr).map(
    (line) => JSON.parse(line) as Record<string, string>,
  );
}
