// Owns a server process's figures between measurements: CPU time, commits, profiles.

import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

/** Running totals of a process. */
export interface Usage {
  /** Microseconds of CPU, user and system, of all its threads. */
  readonly cpu: number;
  /** Microseconds of system time alone. */
  readonly system: number;
  /** Transactions its store has committed; 0 without one. */
  readonly commits: number;
}

/** The functions of every server process. */
export interface UsageCommands {
  readonly usage: (nothing: undefined) => Usage;
  readonly startProfile: (nothing: undefined) => Promise<void>;
  /** Ends the profile and writes it to a file. */
  readonly stopProfile: (path: string) => Promise<void>;
}

export function usageCommands(commits: () => number = () => 0): UsageCommands {
  let session: Session | undefined;
  return {
    usage: () => {
      const { user, system } = process.cpuUsage();
      return { cpu: user + system, system, commits: commits() };
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
