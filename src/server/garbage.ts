// Owns giving memory back to the system once a start no longer needs it.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: Readonly<Record<'type' | 'execution' | 'flavor', string>>) => void;

/** Milliseconds between looks whether the process is idle, and the part of them that it may work in. */
const interval = 250;
const mostBusy = 0.05;

/**
 * Collects the garbage of a start once the process idles, and gives its pages back. V8 does so only under
 * pressure: a server that idles would keep the pages of all that it parsed. One that has requests to answer
 * does without.
 */
export function collectWhenIdle(): void {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > mostBusy) return;
    clearInterval(timer);
    collectGarbage();
  }, interval).unref();
}

/** Takes up to 0.1 s, in which nothing else runs. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  // A context made after the flag has the function.
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  // Other flavours keep the pages for later use.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
