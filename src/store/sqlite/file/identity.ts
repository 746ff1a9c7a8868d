// Owns the identity of store files: which of them this process has open, and whether one was removed or replaced.

import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** Device and inode number of a file; they stay the same when the file is renamed. */
export type FileIdentity = string & { readonly __brand: 'FileIdentity' };

/**
 * The absolute path of a file without symbolic links. SQLite keeps the log beside the file and not beside
 * a link to it, and a replacement must replace the file, not the link.
 */
export function realPath(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    // The file does not exist yet, or opening it will report why it cannot be read.
    return absolute;
  }
}

/** Undefined where there is none. */
export function identityOf(path: string): FileIdentity | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : (`${found.dev}:${found.ino}` as FileIdentity);
}

/** How often this process (its main thread) has each file open in SQLite. */
const openHere = new Map<FileIdentity, number>();

/**
 * Whether this process has the file open in SQLite. Such a file, and its log's index, must not be
 * opened in any other way: closing any descriptor of a file drops all locks the process has on it.
 */
export function isOpenHere(path: string): boolean {
  const identity = identityOf(path);
  return identity !== undefined && openHere.has(identity);
}

/** Notes that the file is open, until the returned function is called. */
export function noteOpen(identity: FileIdentity): () => void {
  openHere.set(identity, (openHere.get(identity) ?? 0) + 1);
  let isOpen = true;
  return () => {
    if (!isOpen) return;
    isOpen = false;
    const left = (openHere.get(identity) ?? 1) - 1;
    if (left === 0) openHere.delete(identity);
    else openHere.set(identity, left);
  };
}

/**
 * A check that the open file and its log still have their names; it returns the fault as text. SQLite
 * continues without the names, and all its commits are lost at the next start (FAULTS 7).
 */
export function nameWatch(path: string): () => string | undefined {
  const names = [path, `${path}-wal`, `${path}-shm`];
  const before = names.map(identityOf);
  return () => {
    const moved = names.filter((name, n) => identityOf(name) !== before[n]);
    return moved.length === 0 ? undefined : `${moved.join(', ')} was removed or replaced`;
  };
}
