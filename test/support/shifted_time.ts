// Owns moving the time of the process that it is loaded into.

import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

let [shift, jump] = [0, 0];
const wall = Date.now.bind(Date);
const monotonic = performance.now.bind(performance);
const uptime = os.uptime.bind(os);

/** All move together when time has passed; the wall clock moves alone when somebody has set it. */
Date.now = (): number => wall() + shift + jump;
performance.now = (): number => monotonic() + shift;
os.uptime = (): number => uptime() + shift / 1000;
syncBuiltinESMExports();

/** Seconds that pass for a process alone, and by which its wall clock is set besides. */
export interface OwnTime {
  readonly passed?: number;
  readonly ahead?: number;
}

export function moveTime({ passed = 0, ahead = 0 }: OwnTime): void {
  shift += passed * 1000;
  jump += ahead * 1000;
}
