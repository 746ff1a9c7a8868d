// Owns waiting for the signal that ends a running server.

import { exitCodes } from './exit.ts';

/** Ctrl-C under npm arrives twice, from the terminal and from npm: one signal, in milliseconds. */
const sameSignal = 500;

/** Resolves at SIGTERM or SIGINT; a second signal ends the process at once. */
export function untilTold(): Promise<void> {
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
    process.on('SIGTERM', tell);
    process.on('SIGINT', tell);
  });
}
