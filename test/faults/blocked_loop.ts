// Owns blocking the event loop of a process: loaded before it. At SIGWINCH it makes the file `blocked` in
// its folder, and then does nothing until somebody has made `released`.

import { existsSync, writeFileSync } from 'node:fs';

const never = new Int32Array(new SharedArrayBuffer(4));

process.on('SIGWINCH', () => {
  writeFileSync('blocked', '');
  while (!existsSync('released')) Atomics.wait(never, 0, 0, 20);
});
