// Owns what the file store does on a full disk: a reserve for what must go on, and noticing when there is room again.

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

/** Where the reserve of a store is; it stays when the server has ended. */
export function reserveOf(storePath: string): string {
  return `${storePath}-reserve`;
}

/** As 'w'; what lies behind a link in its place is somebody else's. */
const overwriting =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/** Gives up the reserve of a store, if it has one; false if there is nothing to gain. */
export function releaseReserve(storePath: string): boolean {
  const path = reserveOf(storePath);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size === 0) return false;
  truncateSync(path, 0);
  return true;
}

/**
 * A file of the size of the reserve lies beside the store. On a full disk even deleting needs space,
 * for the log (FAULTS 4): then the reserve is given up, only verbs that free space or take away
 * rights run, and all others wait until the reserve can be made again.
 */
export class DiskSpace {
  readonly #storePath: string;
  readonly #path: string;
  readonly #size: number;
  readonly #fold: () => void;
  #isFull = false;
  #lookedAt = 0;

  /** `size` in bytes; 0 makes no reserve, and still gives up one that a server has made. */
  constructor(storePath: string, size: number, foldLog: () => void) {
    this.#storePath = storePath;
    this.#path = reserveOf(storePath);
    this.#size = size;
    this.#fold = foldLog;
    this.#isFull = !this.#reserve();
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Moves the log into the file, so that its space can be used again. */
  foldLog(): void {
    this.#fold();
  }

  /** Gives up the reserve: its space is for the verbs that run next. */
  release(): void {
    releaseReserve(this.#storePath);
    this.#isFull = this.#size > 0;
    this.#lookedAt = performance.now();
  }

  /** Whether there is room for verbs that need it; looks again now and then where there was none. */
  hasRoom(): boolean {
    if (!this.#isFull) return true;
    const now = performance.now();
    if (now - this.#lookedAt < lookAgainAfter) return false;
    this.#lookedAt = now;
    this.#fold();
    this.#isFull = !this.#reserve();
    return !this.#isFull;
  }

  /** Makes the reserve unless it is there; false when there is no space for it. */
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
      // It could not even be made.
    }
  }
}

function fill(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}
