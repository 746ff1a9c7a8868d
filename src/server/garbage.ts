// Owns giving memory back to the system once a start no longer needs it.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: Readonly<Record<'type' | 'execution' | 'flavor', string>>) => void;

/**
 * Collects all garbage and gives its pages back. V8 does so only under pressure: a server that idles
 * after its start would keep the pages of all that it parsed. Takes up to 0.1 s, in which nothing
 * else runs.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  // A context made after the flag has the function.
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  // Other flavours keep the pages for later use.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
