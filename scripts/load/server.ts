// Owns a running `jetway serve` of a campaign: how long it took to start, what it weighs and uses, and the
// load that is put on it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Generator, type LoadResult, startGenerator, type StreamOrder } from './generator.ts';
import { basic, client, get, tokenRequest } from './requests.ts';

export interface Server extends Ports {
  /** From the command to its first answer. */
  readonly startMilliseconds: number;
  /** Resident memory. */
  readonly megabytes: () => number;
  /** Open file descriptors. */
  readonly descriptors: () => number;
  /** Processor time it has taken so far, in microseconds. */
  readonly cpu: () => number;
  /** Microseconds so far in which its request thread was ready to run and other programs had its core. */
  readonly held: () => number;
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
  const logFile = logOf(site);
  const log = openSync(logFile, 'a');
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
  try {
    if (child.stdout === null) throw new Error('it has no output');
    const ports = await portsOf(child.stdout);
    const answer = await fetch(`http://127.0.0.1:${ports.port}${site.readyPath}`);
    await answer.text();
    return {
      ...ports,
      startMilliseconds: performance.now() - begun,
      megabytes: () => residentMegabytes(child.pid ?? 0),
      descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
      cpu: () => cpuMicroseconds(child.pid ?? 0),
      held: () => heldMicroseconds(child.pid ?? 0),
      stop,
      kill,
    };
  } catch (error) {
    await stop();
    throw new Error(`${String(error)}\n${readFileSync(logFile, 'utf8').slice(-4000)}`, {
      cause: error,
    });
  }
}

/** The ports in the lines about listening; the main listener's line is the last. */
async function portsOf(stdout: NodeJS.ReadableStream): Promise<Ports> {
  let text = '';
  const late = setTimeout(() => stdout.emit('error', new Error('it does not start')), patience);
  try {
    for await (const chunk of stdout) {
      text += String(chunk);
      const portBehind = (words: string): number =>
        Number(new RegExp(`${words} http://127\\.0\\.0\\.1:(\\d+)\\s`).exec(text)?.[1]);
      const port = portBehind(' at');
      if (port > 0) {
        return { port, adminPort: portBehind('admin:'), gatewayPort: portBehind('gateway:') };
      }
    }
  } finally {
    clearTimeout(late);
  }
  throw new Error(`it ended before it served: ${text}`);
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** Of all its threads. */
export function cpuMicroseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + timesOf(pid, thread).ran, 0);
}

/** While it waits for its core one of the server's own threads may have that. */
function heldMicroseconds(pid: number): number {
  const { ran, held } = timesOf(pid, pid);
  return held - (cpuMicroseconds(pid) - ran);
}

/** Microseconds of a thread. `schedstat` counts nanoseconds, `stat` only hundredths of a second. */
function timesOf(pid: number, thread: string | number): { readonly ran: number; held: number } {
  const [ran, held] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
  return { ran: Number(ran) / 1000, held: Number(held) / 1000 };
}

/** What became of some streams. */
export interface Offered extends LoadResult {
  /** The server's processor time in microseconds. */
  readonly cpu: number;
}

export async function offerTo(
  generator: Generator,
  server: Pick<Server, 'cpu'>,
  streams: readonly StreamOrder[],
  seconds: number,
): Promise<Offered> {
  const before = server.cpu();
  const result = await generator.ask('offer', { streams, seconds });
  return { ...result, cpu: server.cpu() - before };
}

export interface Offering {
  readonly server: Server;
  readonly offer: (streams: readonly StreamOrder[], seconds: number) => Promise<Offered>;
}

/** Serves a site with a command while `work` runs, and stops server and generator. */
export async function underLoad<Result>(
  command: readonly string[],
  site: ServedSite,
  work: (offering: Offering) => Promise<Result>,
): Promise<Result> {
  const server = await startServer(command, site);
  const generator = startGenerator();
  try {
    return await work({
      server,
      offer: (streams, seconds) => offerTo(generator, server, streams, seconds),
    });
  } finally {
    await generator.end();
    await server.stop();
  }
}

/** A stream of one request: `rate` a second, or with 0 as fast as its connections are answered. */
type Stream = (rate: number, connections: number) => StreamOrder;

/** Of the programme `store`, to which all streams go. */
export const tokenPath = '/store/api/grant';

/** The streams by name; `verify` asks about the bearer's token, or without one is refused. */
export function streamsTo(
  { port, gatewayPort, adminPort }: Server,
  bearer?: string,
): Readonly<Record<'token' | 'wrong secret' | 'login' | 'verify' | 'health', Stream>> {
  const stream =
    (name: string, to: number, request: string): Stream =>
    (rate, connections) => ({ name, port: to, requests: [request], connections, rate });
  const proof = bearer === undefined ? [] : [`Authorization: Bearer ${bearer}`];
  const wrong = basic(client.id, 'a secret that it never had');
  const login = `/store/auth/login?client_id=${client.id}&response_type=code`;
  return {
    token: stream('token', port, tokenRequest(tokenPath)),
    'wrong secret': stream('wrong secret', port, tokenRequest(tokenPath, wrong)),
    /** Each begins a login. */
    login: stream('login', port, get(login)),
    verify: stream('verify', gatewayPort, get('/store/verify/client', ...proof)),
    health: stream('health', adminPort, get('/livez')),
  };
}
