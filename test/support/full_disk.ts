// Owns filling a disk up.

import { closeSync, openSync, writeSync } from 'node:fs';

/** Takes all the space that is left on a file's disk. */
export function fillUp(path: string): void {
  const descriptor = openSync(path, 'a');
  const zeros = Buffer.alloc(65_536);
  try {
    for (let size = zeros.length; size >= 512;) {
      try {
        writeSync(descriptor, zeros, 0, size);
      } catch {
        size /= 2;
      }
    }
  } finally {
    closeSync(descriptor);
  }
}
