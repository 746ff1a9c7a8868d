// Owns a running `jetway serve` of a campaign: how long it took to start, and what it weighs and uses.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Generator, LoadResult, StreamOrder } from './generator.ts';

export interface Server extends Ports {
  readonly pid: number;
  /** Milliseconds from the command to its first answer. */
  readonly started: number;
  readonly stop: () => Promise<void>;
  /** Sends a signal; resolves when the process has ended, where the signal ends it. */
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
}

interface Ports {
  readonly port: number;
  /** Of the listeners that the configuration names; NaN where it names none. */
  readonly adminPort: number;
  readonly gatewayPort: number;
}

/** A configuration, and a path that answers once it is ready. */
export interface ServedSite {
  readonly configFile: string;
  readonly readyPath: string;
}

/** The file that the server of a site logs to. */
export function logOf({ configFile }: ServedSite): string {
  return `${configFile}.log`;
}

/** What starts `jetway`: the built executable, or the sources. */
export function jetwayCommand(executable?: string): readonly string[] {
  if (executable !== undefined) return [executable];
  return [process.execPath, join(import.meta.dirname, '../../src/main.ts')];
}

/** Longer than any acceptable start. */
const patience = 60_000;

/** Starts the command with `serve`; resolves once it answers. It logs beside its configuration. */
export async function startServer(command: readonly string[], site: ServedSite): Promise<Server> {
  const [program = '', ...args] = command;
  const log = openSync(logOf(site), 'a');
  const begun = performance.now();
  const child = spawn(program, [...args, 'serve', '--config', site.configFile], {
    stdio: ['ignore', 'pipe', log],
  });
  closeSync(log);
  const gone = once(child, 'exit');
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await gone;
  };
  const stop = (): Promise<void> => kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), patience);
  try {
    if (child.stdout === null) throw new Error('it has no output');
    const ports = await portsOf(child.stdout);
    const answer = await fetch(`http://127.0.0.1:${ports.port}${site.readyPath}`);
    await answer.text();
    return { ...ports, pid: child.pid ?? 0, started: performance.now() - begun, stop, kill };
  } catch (error) {
    await stop();
    throw new Error(`${String(error)}\n${readFileSync(logOf(site), 'utf8').slice(-4000)}`, {
      cause: error,
    });
  } finally {
    clearTimeout(late);
  }
}

/** The ports in the lines about listening; the main listener's line is the last. */
async function portsOf(stdout: NodeJS.ReadableStream): Promise<Ports> {
  let text = '';
  for await (const chunk of stdout) {
    text += String(chunk);
    const portBehind = (words: string): number =>
      Number(new RegExp(`${words} http://127\\.0\\.0\\.1:(\\d+)\\s`).exec(text)?.[1]);
    const port = portBehind(' at');
    if (port > 0) {
      return { port, adminPort: portBehind('admin:'), gatewayPort: portBehind('gateway:') };
    }
  }
  throw new Error(`it ended before it served: ${text}`);
}

export function residentMegabytes({ pid }: Pick<Server, 'pid'>): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** Processor time of all its threads so far, in microseconds. */
export function cpuMicroseconds({ pid }: Pick<Server, 'pid'>): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + timesOf(pid, thread).ran, 0);
}

/**
 * Microseconds so far in which its request thread was ready to run and other programs had its core: while it
 * waits for that one of the server's own threads may have it.
 */
export function heldMicroseconds({ pid }: Server): number {
  const { ran, held } = timesOf(pid, pid);
  return held - (cpuMicroseconds({ pid }) - ran);
}

/** Microseconds of a thread. `schedstat` counts nanoseconds, `stat` only hundredths of a second. */
function timesOf(pid: number, thread: string | number): { readonly ran: number; held: number } {
  const [ran, held] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
  return { ran: Number(ran) / 1000, held: Number(held) / 1000 };
}

/** What became of some streams. */
export interface Offered extends LoadResult {
  /** The servers' processor time in microseconds. */
  readonly cpu: number;
}

export async function offerTo(
  generator: Generator,
  servers: readonly Pick<Server, 'pid'>[],
  streams: readonly StreamOrder[],
  seconds: number,
): Promise<Offered> {
  const spent = (): number => servers.reduce((sum, one) => sum + cpuMicroseconds(one), 0);
  const before = spent();
  const result = await generator.ask({ streams, seconds });
  return { ...result, cpu: spent() - before };
}
