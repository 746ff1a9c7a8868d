// Owns a running `jetway serve` of the campaign: how long it took to start, and what it weighs.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

export interface Serving extends Ports {
  /** From the command to its first answer. */
  readonly startMilliseconds: number;
  /** Resident memory. */
  readonly megabytes: () => number;
  /** Open file descriptors. */
  readonly descriptors: () => number;
  /** Processor time it has taken so far, in microseconds. */
  readonly cpu: () => number;
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

/** A configuration, and a path of each programme that answers once it is ready. */
export interface ServedSite {
  readonly configFile: string;
  readonly programmes: readonly { readonly tokenPath: string }[];
}

/** Longer than any acceptable start. */
const patience = 60_000;

/** Starts the command with `serve`; resolves once it answers. Its log goes to the file `log`. */
export async function startServing(
  command: readonly string[],
  site: ServedSite,
  log: number | 'inherit' = 'inherit',
): Promise<Serving> {
  const [program = '', ...args] = command;
  const begun = performance.now();
  const child = spawn(program, [...args, 'serve', '--config', site.configFile], {
    stdio: ['ignore', 'pipe', log],
  });
  const gone = once(child, 'exit');
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await gone;
  };
  const stop = (): Promise<void> => kill('SIGTERM');
  try {
    if (child.stdout === null) throw new Error('it has no output');
    const ports = await portsOf(child.stdout);
    const answer = await fetch(
      `http://127.0.0.1:${ports.port}${site.programmes.at(-1)?.tokenPath}`,
    );
    await answer.text();
    return {
      ...ports,
      startMilliseconds: performance.now() - begun,
      megabytes: () => residentMegabytes(child.pid ?? 0),
      descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
      cpu: () => cpuMicroseconds(child.pid ?? 0),
      stop,
      kill,
    };
  } catch (error) {
    await stop();
    throw error;
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

/** User and system time, which Linux counts in hundredths of a second (proc(5), fields 14 and 15). */
function cpuMicroseconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
