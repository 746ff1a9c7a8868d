// Owns moving the time of a process: loaded before it, told by its environment and by messages.

import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

let jump = Number(process.env['JETWAY_TEST_JUMP'] ?? 0);
let shift = Number(process.env['JETWAY_TEST_SHIFT'] ?? 0);
const wall = Date.now.bind(Date);
const monotonic = performance.now.bind(performance);
const uptime = os.uptime.bind(os);

/** All move together when time has passed; the wall clock moves alone when somebody has set it. */
Date.now = (): number => wall() + shift + jump;
performance.now = (): number => monotonic() + shift;
os.uptime = (): number => uptime() + shift / 1000;
syncBuiltinESMExports();

process.on('message', ({ pass = 0, set = 0 }: { pass?: number; set?: number }) => {
  shift += pass * 1000;
  jump += set * 1000;
  process.send?.('moved');
});
// Whoever listens for messages would live for as long as they may come.
process.channel?.unref();
