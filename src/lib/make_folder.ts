// Owns making a folder and the folders above it.

import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder unless it is there, with every folder above it. By hand: node's own `recursive` never
 * returns where the system answers ENOENT although the parent exists, as below /proc.
 * @param mode of each folder made
 * @throws a system error, such as ENOTDIR where a file is in the way
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return;
  makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
