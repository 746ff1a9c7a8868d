// Owns how the file store puts whole files into place: drafts, synchronising, linking and renaming.

import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { randomKey } from '../../../lib/random.ts';

/** What SQLite keeps beside a file. */
const sidecars = ['-wal', '-shm', '-journal'] as const;

/**
 * Runs `fill` on a new empty file beside `path`, the owner's alone, and then `place`s it; whatever
 * happens, nothing of the draft stays.
 */
export function withDraft<T>(path: string, fill: (draft: string) => T): T {
  const draft = makeDraft(path);
  try {
    return fill(draft);
  } finally {
    removeDraft(draft);
  }
}

/** A new empty file beside `path`; give it to `removeDraft` in the end. */
export function makeDraft(path: string): string {
  const draft = `${path}.${randomKey(6)}.new`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    // A umask may have taken from its owner as well.
    fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
  return draft;
}

export function removeDraft(draft: string): void {
  for (const suffix of ['', ...sidecars]) rmSync(draft + suffix, { force: true });
}

/** Removes what crashes have left of drafts beside `path`; for whoever has the file to itself. */
export function removeOldDrafts(path: string): void {
  const folder = dirname(path);
  const isDraft = (name: string): boolean =>
    name.startsWith(`${basename(path)}.`) && name.endsWith('.new');
  for (const name of readdirSync(folder)) if (isDraft(name)) removeDraft(join(folder, name));
}

/** Puts a complete file where none is; false when there is one by now. */
export function placeNew(draft: string, path: string): boolean {
  synchronise(draft);
  try {
    linkSync(draft, path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  synchronise(dirname(path));
  return true;
}

/** Puts a complete file in the place of whatever is there, in one step. */
export function placeOver(draft: string, path: string): void {
  synchronise(draft);
  renameSync(draft, path);
  synchronise(dirname(path));
}

/**
 * Makes what is written to a file or directory outlast a power cut. Never call it for a file that
 * this process has open in SQLite: closing any descriptor of a file drops the locks SQLite has on it.
 */
function synchronise(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
