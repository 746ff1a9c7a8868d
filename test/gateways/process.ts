// Owns gateways as processes: a folder of their own, nobody's rights, an end with the test.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { scratchFolder } from '../support/scratch.ts';

/** The user that owns nothing: a gateway needs no rights, whoever runs the tests. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/** A folder that the gateway may read and write, gone after the test. */
export function gatewayFolder(
  t: TestContext,
  files: Readonly<Record<string, string>>,
): { readonly folder: string; readonly write: (name: string, text: string) => void } {
  const folder = scratchFolder(t, 'gateway');
  const give = (path: string): void => {
    if (isRoot) chownSync(path, nobody, nobody);
  };
  const write = (name: string, text: string): void => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    give(join(folder, name));
  };
  give(folder);
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { folder, write };
}

/** What runs a gateway, and how it is told from its log that it is ready. */
export interface GatewayCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly ready: RegExp;
}

/** Runs a gateway until the test ends; resolves once it listens, to what it has printed. */
export async function runGateway(
  t: TestContext,
  folder: string,
  { command, args, env = {}, ready }: GatewayCommand,
): Promise<() => string> {
  const child = spawn(command, args, {
    cwd: folder,
    // Where Debian has servers, for users too.
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin`, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot ? { uid: nobody, gid: nobody } : {}),
  });
  let log = '';
  const listening = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${command} ended with ${code}: ${log}`)));
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      if (ready.test(log)) resolve();
    });
  });
  await listening;
  t.after(async () => {
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  });
  return () => log;
}
