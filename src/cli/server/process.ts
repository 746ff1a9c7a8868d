// Owns a process's signals and environment variables.

import { isSea } from 'node:sea';

import type { Log } from '../../engine/service.ts';
import { exitCodes } from '../exit.ts';

/** Milliseconds: Ctrl-C under npm arrives twice, from the terminal and from npm. */
const sameSignal = 500;

/** Resolves at the first of these signals; a later one ends the process at once. */
export function untilSignal(signals: readonly NodeJS.Signals[]): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const receive = (): void => {
      const now = performance.now();
      if (first === undefined) {
        first = now;
        resolve();
      } else if (now - first > sameSignal) {
        process.exit(exitCodes.failed);
      }
    };
    for (const signal of signals) process.on(signal, receive);
  });
}

/** Signals to ignore; by default they end the process or open a debugger. */
const ignored = {
  SIGHUP: ['reload_not_supported', 'changed files count after a restart'],
  SIGUSR1: ['debugger_not_supported', 'a running server has no debugger'],
} as const;

/** From now on each of these signals is only logged (FAULTS 32). */
export function ignoreSignals(log: Log, signals: readonly (keyof typeof ignored)[]): void {
  for (const signal of signals) {
    const [event, why] = ignored[signal];
    process.on(signal, () => log.error(event, { detail: `${signal} changes nothing: ${why}` }));
  }
}

/** Variables that node reads, except those that node sets for its child processes. */
const nodesOwn = /^NODE_(?!(?:CHANNEL_FD|CHANNEL_SERIALIZATION_MODE|UNIQUE_ID)$)/;

/**
 * Restarts the executable without the variables that node reads, if any is set: they can print
 * secrets, add certificate authorities or write files (HOSTILE 61).
 */
export function refuseEnvironment(): void {
  const all = Object.entries(process.env);
  const others = all.filter(([name]) => !nodesOwn.test(name));
  if (!isSea() || others.length === all.length) return;
  const { execPath, argv } = process;
  process.execve?.(execPath, [execPath, ...argv.slice(2)], Object.fromEntries(others));
}
