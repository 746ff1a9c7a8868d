// Owns how the file store creates and replaces whole files: drafts, fsync, link and rename.

import { closeSync, fchmodSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

import { randomKey } from '../../../lib/random.ts';

/** Suffixes of the files that SQLite keeps beside a database. */
const sidecars = ['-wal', '-shm', '-journal'] as const;

/** A new empty file of mode 0600 beside `path`; give it to `removeDraft` in the end. */
export function makeDraft(path: string): string {
  const draft = `${path}.${randomKey(6)}.new`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    // A umask may have removed rights of the owner too.
    fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
  return draft;
}

export function removeDraft(draft: string): void {
  for (const suffix of ['', ...sidecars]) rmSync(draft + suffix, { force: true });
}

/** Has `use` write a new file beside `path`, which is gone afterwards unless it was placed. */
export async function withDraft<Result>(
  path: string,
  use: (draft: string) => Promise<Result>,
): Promise<Result> {
  const draft = makeDraft(path);
  try {
    return await use(draft);
  } finally {
    removeDraft(draft);
  }
}

/** Links a complete file to `path`; false when `path` exists already. */
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

/** Renames a complete file to `path`, which replaces an existing file in one step. */
export function placeOver(draft: string, path: string): void {
  synchronise(draft);
  renameSync(draft, path);
  synchronise(dirname(path));
}

/**
 * Runs fsync on a file or directory, so that its content outlasts a power cut. Never call it for a file that
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
