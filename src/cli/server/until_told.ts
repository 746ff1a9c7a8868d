// Owns the signals that end a running server, and those that would but must not.

import type { Log } from '../../engine/service.ts';
import { exitCodes } from '../exit.ts';

/** Ctrl-C under npm arrives twice, from the terminal and from npm: one signal, in milliseconds. */
const sameSignal = 500;

/**
 * Resolves at a first signal of these, by which a server is told to end; a second one ends the process
 * at once.
 */
export function untilTold(signals: readonly NodeJS.Signals[]): Promise<void> {
  return new Promise((resolve) => {
    let toldAt: number | undefined;
    const tell = (): void => {
      const now = performance.now();
      if (toldAt === undefined) {
        toldAt = now;
        resolve();
      } else if (now - toldAt > sameSignal) {
        process.exit(exitCodes.failed);
      }
    };
    for (const signal of signals) process.on(signal, tell);
  });
}

/** What each of these signals asks for in vain; left alone, it ends the process or opens a debugger. */
const refused = {
  SIGHUP: ['reload_not_supported', 'changed files count after a restart'],
  SIGUSR1: ['debugger_not_supported', 'a running server has no debugger'],
} as const;

/** From now on a signal does nothing but say so (FAULTS 32). */
export function refuseSignals(log: Log, signals: readonly (keyof typeof refused)[]): void {
  for (const signal of signals) {
    const [event, why] = refused[signal];
    process.on(signal, () => log.error(event, { detail: `${signal} changes nothing: ${why}` }));
  }
}
