// Owns reading the index (`-shm`) of SQLite's write-ahead log: how much of the log was committed.

import { closeSync, openSync, readSync } from 'node:fs';

import { advance, type Pair } from './log_format.ts';

export interface LogIndex {
  /** How many frames are committed. */
  readonly frames: number;
  /** How many of them are in the database file already. */
  readonly inFile: number;
  readonly salts: Pair;
}

/** Two copies of the header, then how far checkpoints have come. */
const headerSize = 48;
const wanted = 2 * headerSize + 4;

/** What the index says, unless a process died while it wrote it; little-endian machines only. */
export function readIndex(path: string): LogIndex | undefined {
  const descriptor = openSync(path, 'r');
  const bytes = Buffer.alloc(wanted);
  try {
    if (readSync(descriptor, bytes, 0, wanted, 0) < wanted) return undefined;
  } finally {
    closeSync(descriptor);
  }
  const header = bytes.subarray(0, headerSize);
  if (!header.equals(bytes.subarray(headerSize, 2 * headerSize))) return undefined;
  const isInitialised = header.readUInt8(12) === 1;
  const [a, b] = advance([0, 0], header.subarray(0, 40), { bigEndian: false });
  const isWhole = a === header.readUInt32LE(40) && b === header.readUInt32LE(44);
  if (!isInitialised || !isWhole) return undefined;
  return {
    frames: header.readUInt32LE(16),
    inFile: bytes.readUInt32LE(2 * headerSize),
    // Copied from the log as they are, unlike the rest.
    salts: [header.readUInt32BE(32), header.readUInt32BE(36)],
  };
}
