// Owns the life of a running server: housekeeping, and waiting for the signal to stop.

import type { Clock } from '../lib/clock.ts';
import type { Store } from '../store/contract.ts';
import { jsonLog } from './serving.ts';
import { exitCodes } from './exit.ts';

/** Few rows a step and a step a second, so that sweeping never stalls a request. */
const sweepStep = 500;
const sweepInterval = 1000;

/** Ctrl-C under npm arrives twice, from the terminal and from npm: one signal, in milliseconds. */
const sameSignal = 500;

/** Resolves at SIGTERM or SIGINT; a second signal ends the process at once. */
export async function untilTold(store: Store, clock: Clock): Promise<void> {
  const housekeeping = setInterval(() => {
    store.sweep(clock.now(), sweepStep).catch((error: unknown) => {
      jsonLog.error('sweep_failed', { detail: String(error) });
    });
  }, sweepInterval);
  await new Promise<void>((resolve) => {
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
    process.on('SIGTERM', tell);
    process.on('SIGINT', tell);
  });
  clearInterval(housekeeping);
}
