// Owns moving the time of the process that it is loaded into.

import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

let [shift, jump, nap] = [0, 0, 0];
const wall = Date.now.bind(Date);
const monotonic = performance.now.bind(performance);
const uptime = os.uptime.bind(os);

/**
 * All move together when time has passed; the wall clock moves alone when somebody has set it. The
 * monotonic clock stands still while the machine is suspended.
 */
Date.now = (): number => wall() + shift + nap + jump;
performance.now = (): number => monotonic() + shift;
os.uptime = (): number => uptime() + (shift + nap) / 1000;
syncBuiltinESMExports();

/** Seconds that pass for a process alone, for which it is suspended, and by which its wall clock is set. */
export interface OwnTime {
  readonly passed?: number;
  readonly slept?: number;
  readonly ahead?: number;
}

export function moveTime({ passed = 0, slept = 0, ahead = 0 }: OwnTime): void {
  shift += passed * 1000;
  nap += slept * 1000;
  jump += ahead * 1000;
}
