// Owns waiting for what comes about without telling anybody: it is looked for again and again.

import { setTimeout as sleep } from 'node:timers/promises';

/** How long is waited for what must come: milliseconds, for a machine that is slow and has much to do. */
export const patience = 120_000;

/** The machine's own, whatever a test has put in its place meanwhile. */
const now = performance.now.bind(performance);

/** Waits until it is so; fails, in these words, where it never is. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  failure: string | (() => string) = () => `it never came to be that ${isSo.toString()}`,
): Promise<void> {
  const end = now() + patience;
  while (!(await isSo())) {
    if (now() > end) throw new Error(typeof failure === 'string' ? failure : failure());
    await sleep(20);
  }
}
