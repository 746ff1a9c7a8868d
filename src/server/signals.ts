// Owns a process's signals.

import type { Log } from '../engine/service.ts';
import { exitCodes } from './exit.ts';

/** Milliseconds: Ctrl-C under npm arrives twice, from the terminal and from npm. */
const sameSignal = 500;

/** Resolves to the first of these signals; a later one ends the process at once. */
export function untilSignal(signals: readonly NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const receive = (signal: NodeJS.Signals): void => {
      const now = performance.now();
      if (first === undefined) {
        first = now;
        resolve(signal);
      } else if (now - first > sameSignal) {
        process.exit(exitCodes.failed);
      }
    };
    for (const signal of signals) process.on(signal, receive);
  });
}

/** Signals to ignore; by default they end the process or open a debugger. */
const ignored = {
  SIGHUP: ['not_ready_to_reload', 'a server that starts reads its files in any case'],
  SIGUSR1: ['debugger_not_supported', 'a running server has no debugger'],
} as const;

/** From now on each of these signals is only logged (FAULTS 32). */
export function ignoreSignals(log: Log, signals: readonly (keyof typeof ignored)[]): void {
  for (const signal of signals) {
    const [event, why] = ignored[signal];
    process.on(signal, () => log.error(event, { detail: `${signal} changes nothing: ${why}` }));
  }
}
