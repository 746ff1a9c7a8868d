// Owns running the other process of tests (`child.ts`): at a test's side, until it is killed, on a disk
// that fails, or under strace, which watches its system calls, fails them, or kills it at one.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { randomKey } from '../../src/lib/random.ts';
import { bundleOf } from '../support/program.ts';
import type { Order } from './child.ts';

const script = await bundleOf('test/store/child.ts');

export interface Child {
  /** Has it do something; resolves to what comes of it, or to the text of the failure. */
  readonly ask: (...order: Order) => Promise<unknown>;
  /** All that it said so far. */
  readonly said: () => string;
  /** Resolves once it has said so many characters. */
  readonly saying: (length: number) => Promise<void>;
  readonly kill: () => Promise<void>;
}

/** Starts a process that does what it is asked. */
export async function startChild(): Promise<Child> {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const closed = once(child, 'close');
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await once(child, 'message');
  return {
    ask: async (...order) => {
      const answer = once(child, 'message') as Promise<[{ readonly result?: unknown }]>;
      child.send(order);
      const [{ result }] = await answer;
      return result;
    },
    said: () => said,
    saying: async (length) => {
      while (said.length < length && child.stdout !== null) await once(child.stdout, 'data');
    },
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

/**
 * Lets a process write to a store until its acknowledgements make up `bytes`, and kills it; returns
 * the names of the logins that it had acknowledged (`loginNamed`).
 */
export async function killedWriter(path: string, bytes: number): Promise<string[]> {
  const child = await startChild();
  child.ask('write', path, randomKey(6)).catch(() => undefined);
  await child.saying(bytes);
  await child.kill();
  return saidWhole(child);
}

/** Its lines so far; the last one may be cut off in the middle. */
export function saidWhole({ said }: Pick<Child, 'said'>): string[] {
  return said().slice(0, said().lastIndexOf('\n')).split('\n');
}

export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
}

/** Runs a process that does one thing, to its end; `hear` is called with every line that it says. */
export async function runChild(
  order: Order,
  environment: Readonly<Record<string, string>> = {},
  hear: (line: string) => void = () => undefined,
): Promise<Ended> {
  return run(process.execPath, [script, ...order], environment, hear);
}

/** The same under strace, all threads traced; with every traced call, one a line. */
export async function traced(
  options: readonly string[],
  ...order: Order
): Promise<Ended & { readonly calls: readonly string[] }> {
  const log = join(tmpdir(), `jetway-strace-${randomKey(6)}`);
  const flags = ['-f', '-qq', '-y', '-s', '32', '-o', log, ...options];
  try {
    const ended = await run('strace', [...flags, process.execPath, script, ...order]);
    return { ...ended, calls: readFileSync(log, 'utf8').split('\n') };
  } finally {
    rmSync(log, { force: true });
  }
}

async function run(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  hear: (line: string) => void = () => undefined,
): Promise<Ended> {
  const env = { ...process.env, ...environment };
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    for (const line of chunk.toString().trimEnd().split('\n')) hear(line);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout };
}
