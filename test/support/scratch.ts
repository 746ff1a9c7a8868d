// Owns folders that tests put files in, and that are gone after them.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Scope {
  readonly after: (end: () => void) => void;
}

/** A new folder, gone after the test. */
export function scratchFolder(t: Scope, name: string, parent: string = tmpdir()): string {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, `jetway-${name}-`));
  t.after(() => removeFolder(folder));
  return folder;
}

/** Removes a folder in which a process that has not ended yet may still make a file. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}
