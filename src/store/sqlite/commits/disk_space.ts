// Owns what the file store does on a full disk: a reserve for urgent verbs, and noticing new room.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  truncateSync,
  writeSync,
} from 'node:fs';

/** Milliseconds between looks whether there is room again. */
const lookAgainAfter = 1000;

/** The path of a store's reserve; the file stays when the server has ended. */
export function reserveOf(storePath: string): string {
  return `${storePath}-reserve`;
}

/** As 'w', but a link in the reserve's place is not followed: its target is not the store's. */
const overwriting =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/** Empties the reserve of a store; false if there is none, or it is empty. */
export function releaseReserve(storePath: string): boolean {
  const path = reserveOf(storePath);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size === 0) return false;
  truncateSync(path, 0);
  return true;
}

/**
 * The reserve is a file beside the store. On a full disk even a DELETE needs space for the log (FAULTS
 * 4): then the reserve is emptied, and only verbs that free space or take away rights run until the
 * reserve can be made again.
 */
export class DiskSpace {
  readonly #storePath: string;
  readonly #path: string;
  readonly #size: number;
  readonly #fold: () => void;
  #isFull = false;
  #lookedAt = 0;

  /** `size` in bytes; with 0 no reserve is made, but a server's reserve is still emptied. */
  constructor(storePath: string, size: number, foldLog: () => void) {
    this.#storePath = storePath;
    this.#path = reserveOf(storePath);
    this.#size = size;
    this.#fold = foldLog;
    this.#isFull = !this.#reserve();
  }

  /** Moves the log into the file, so that its space can be used again. */
  foldLog(): void {
    this.#fold();
  }

  /** Empties the reserve: the verbs that run next use its space. */
  release(): void {
    releaseReserve(this.#storePath);
    this.#isFull = this.#size > 0;
    this.#lookedAt = performance.now();
  }

  /** Whether there is room for verbs that are not urgent; on a full disk it looks again now and then. */
  hasRoom(): boolean {
    if (!this.#isFull) return true;
    const now = performance.now();
    if (now - this.#lookedAt < lookAgainAfter) return false;
    this.#lookedAt = now;
    this.#fold();
    this.#isFull = !this.#reserve();
    return !this.#isFull;
  }

  /** Makes the reserve unless it exists; false when there is no space for it. */
  #reserve(): boolean {
    if (this.#size === 0) return true;
    const found = lstatSync(this.#path, { throwIfNoEntry: false });
    if (found?.isFile() === true && found.size === this.#size) return true;
    try {
      const descriptor = openSync(this.#path, overwriting, 0o600);
      try {
        fchmodSync(descriptor, 0o600);
        // Random bytes: some file systems keep zeros without taking space for them.
        fill(descriptor, randomBytes(this.#size));
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      return true;
    } catch {
      this.#giveBack();
      return false;
    }
  }

  #giveBack(): void {
    try {
      releaseReserve(this.#storePath);
    } catch {
      // The file could not even be made.
    }
  }
}

function fill(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}
