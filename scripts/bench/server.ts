// Owns the functions that the bench's server processes have in common: where they answer, codes and
// tokens to send, and figures between measurements (CPU time, memory, commits, profiles).

import { readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

import type { Format } from './plan.ts';

/** Running totals of a process. */
export interface Usage {
  /** Microseconds of CPU, user and system, of all its threads. */
  readonly cpu: number;
  /** Microseconds of system time alone. */
  readonly system: number;
  /** Transactions its store has committed; 0 without one. */
  readonly commits: number;
  /** Statements it has sent to a database; 0 without one. */
  readonly rounds: number;
  /** Pages of 4 KiB written to files, of a log and of what is moved out of it. */
  readonly pages: number;
  /** Bytes of memory that are no file's, at this moment; 0 where the system does not tell. */
  readonly anonymous: number;
}

/** Where a server answers. */
export interface Address {
  readonly port: number;
  /** Path of the token endpoint. */
  readonly path: string;
  /** Path of a gateway's question about a member's token; undefined for a server without one. */
  readonly verifyPath: string | undefined;
}

export interface Order {
  readonly format: Format;
  readonly count: number;
}

/** The functions of a server that issues tokens. */
export interface ServerCommands extends UsageCommands {
  /** Undefined if the server does not issue tokens of this format. */
  readonly address: (format: Format) => Address | undefined;
  /** Authorization codes, each for one exchange. */
  readonly mint: (order: Order) => Promise<readonly string[]> | readonly string[];
  /** Access tokens, each of a separate login. */
  readonly issue: (order: Order) => Promise<readonly string[]> | readonly string[];
}

/** The functions of every server process. */
export interface UsageCommands {
  readonly usage: (nothing: undefined) => Usage;
  readonly startProfile: (nothing: undefined) => Promise<void>;
  /** Ends the profile and writes it to a file. */
  readonly stopProfile: (path: string) => Promise<void>;
}

const nothing = (): number => 0;

export function usageCommands(commits = nothing, rounds = nothing): UsageCommands {
  let session: Session | undefined;
  return {
    usage: () => {
      const { user, system } = process.cpuUsage();
      return {
        cpu: user + system,
        system,
        commits: commits(),
        rounds: rounds(),
        pages: countIn('/proc/self/io', /^write_bytes: (\d+)/m) / 4096,
        anonymous: countIn('/proc/self/status', /^RssAnon:\s+(\d+) kB/m) * 1024,
      };
    },
    startProfile: async () => {
      session = new Session();
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: 200 });
      await session.post('Profiler.start');
    },
    stopProfile: async (path) => {
      if (session === undefined) throw new Error('no profile was started');
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      writeFileSync(path, JSON.stringify(profile));
    },
  };
}

function countIn(path: string, pattern: RegExp): number {
  try {
    return Number(pattern.exec(readFileSync(path, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
