// Owns telling a damaged write-ahead log from a good one before SQLite opens it (FAULTS 6).
// SQLite takes the first frame that does not fit for the end of the log, and so loses without a word
// every commit after a flipped bit. Layouts: sqlite.org/walformat.html.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { endianness, uptime } from 'node:os';

const headerSize = 32;
const frameHeaderSize = 24;
/** How much is read at once. */
const chunkFrames = 256;

/**
 * What is wrong with the log beside the file at `path`, in words for its operator; undefined if
 * nothing is. Damage to the last transaction alone cannot be told from one that a power cut stopped,
 * unless the log's index has survived too. Call it only while this process does not have the file
 * open: closing the index would drop SQLite's locks.
 */
export function logDamage(path: string): string | undefined {
  // Another process may be writing: only what is still wrong when looked at again is damage.
  for (let looks = 1; ; looks += 1) {
    const found = lookUnlessGone(path);
    if (found === undefined || looks === 5) return found;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
}

/** Whoever is the last to close a file takes its log away: then there is nothing to look at. */
function lookUnlessGone(path: string): string | undefined {
  try {
    return lookOnce(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function lookOnce(path: string): string | undefined {
  const index = freshIndex(`${path}-shm`);
  const log = `${path}-wal`;
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (isCutOffRestore(path)) {
    return `its log ${log} is of another file: a restore was cut off, and has to be run again`;
  }
  const owed = index === undefined ? 0 : index.frames - index.inFile;
  if (size <= headerSize) {
    return owed > 0
      ? `its log ${log} has lost ${owed} pages that are not in the file yet`
      : undefined;
  }
  const descriptor = openSync(log, 'r');
  try {
    const bytes = read(descriptor, 0, headerSize);
    const header = readHeader(bytes);
    if (header === undefined) {
      return bytes.every((byte) => byte === 0) && owed === 0
        ? undefined
        : `its log ${log} has a damaged header`;
    }
    const current = index && startsLog(index.salts, header) ? index : undefined;
    return frameDamage(descriptor, size, header, current, log);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Whether a restore has put its file in place, for which no log was kept yet, and was stopped before
 * it took the replaced file's log away. SQLite would play that log into the new file. Call it only
 * while this process does not have the file open.
 */
export function isCutOffRestore(path: string): boolean {
  const sizes = [path, `${path}-wal`].map(
    (name) => statSync(name, { throwIfNoEntry: false })?.size,
  );
  if (sizes.some((size) => (size ?? 0) === 0)) return false;
  const descriptor = openSync(path, 'r');
  try {
    // Write and read version: 1 stands for a rollback journal (sqlite.org/fileformat.html).
    const versions = read(descriptor, 18, 2);
    return versions.readUInt8(0) === 1 && versions.readUInt8(1) === 1;
  } finally {
    closeSync(descriptor);
  }
}

/** The index tells how long the log has to be; what it says from before a power cut may be older than the log. */
function freshIndex(path: string): LogIndex | undefined {
  const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (modified === undefined || endianness() !== 'LE') return undefined;
  const startedAt = Date.now() - uptime() * 1000;
  return modified > startedAt ? readIndex(path) : undefined;
}

function frameDamage(
  descriptor: number,
  size: number,
  header: LogHeader,
  index: LogIndex | undefined,
  log: string,
): string | undefined {
  const survey = surveyFrames(descriptor, size, header);
  const good = survey.firstBad ?? survey.frames;
  if (index !== undefined && index.frames > good) {
    return `its log ${log} is damaged at frame ${good + 1} of ${index.frames}`;
  }
  // Every commit is synchronised before the next is written: what lies before a later commit was
  // durable, so it is no torn end.
  if (survey.firstBad !== undefined && survey.commitsAfter > 1) {
    return `its log ${log} is damaged at frame ${good + 1}; ${survey.commitsAfter} commits follow it`;
  }
  return undefined;
}

interface Survey {
  /** How many frames there are of this log's run. */
  readonly frames: number;
  /** Counted from 0. */
  readonly firstBad?: number;
  /** Intact frames after the bad one that end a commit. */
  readonly commitsAfter: number;
}

function surveyFrames(descriptor: number, size: number, header: LogHeader): Survey {
  const frameSize = frameHeaderSize + header.pageSize;
  const total = Math.floor((size - headerSize) / frameSize);
  let before: Pair = header.sum;
  let firstBad: number | undefined;
  let [frames, commitsAfter] = [0, 0];
  for (let from = 0; from < total; from += chunkFrames) {
    const count = Math.min(chunkFrames, total - from);
    const chunk = read(descriptor, headerSize + from * frameSize, count * frameSize);
    for (let n = 0; n < count; n += 1) {
      const frame = chunk.subarray(n * frameSize, (n + 1) * frameSize);
      const sum: Pair = [frame.readUInt32BE(16), frame.readUInt32BE(20)];
      const ours = startsLog([frame.readUInt32BE(8), frame.readUInt32BE(12)], header);
      const [a, b] = advance(
        advance(before, frame.subarray(0, 8), header),
        frame.subarray(frameHeaderSize),
        header,
      );
      const intact = ours && a === sum[0] && b === sum[1];
      if (ours) frames = from + n + 1;
      if (!intact) firstBad ??= from + n;
      else if (firstBad !== undefined && frame.readUInt32BE(4) !== 0) commitsAfter += 1;
      // Each sum goes on from the one before it, so that frames behind a bad one can be told good.
      before = sum;
    }
  }
  return { frames, commitsAfter, ...(firstBad === undefined ? {} : { firstBad }) };
}

function read(descriptor: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(descriptor, bytes, 0, length, from);
  return bytes;
}

/** Two 32-bit numbers: a checksum, or the salts that mark one run of the log. */
type Pair = readonly [number, number];

interface LogHeader {
  readonly pageSize: number;
  readonly salts: Pair;
  /** Of the header itself; the first frame's sum goes on from it. */
  readonly sum: Pair;
  /** Order of bytes in the words that are summed. */
  readonly bigEndian: boolean;
}

/** The header in the log's first 32 bytes; undefined when they are none, or damaged. */
function readHeader(bytes: Buffer): LogHeader | undefined {
  if (bytes.readUInt32BE(0) >>> 1 !== 0x377f_0682 >>> 1) return undefined;
  const header = {
    bigEndian: (bytes.readUInt32BE(0) & 1) === 1,
    pageSize: bytes.readUInt32BE(8),
    salts: [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
    sum: [bytes.readUInt32BE(24), bytes.readUInt32BE(28)],
  } as const;
  const [a, b] = advance([0, 0], bytes.subarray(0, 24), header);
  const isPageSize = header.pageSize >= 512 && header.pageSize <= 65_536;
  return isPageSize && a === header.sum[0] && b === header.sum[1] ? header : undefined;
}

/** Whether a frame or index with such salts belongs to this run of the log. */
function startsLog(salts: Pair, header: LogHeader): boolean {
  return salts[0] === header.salts[0] && salts[1] === header.salts[1];
}

/** The checksum `sum` carried on over `bytes`, whose length is a multiple of 8. */
function advance(sum: Pair, bytes: Buffer, order: Pick<LogHeader, 'bigEndian'>): Pair {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = !order.bigEndian;
  let [a, b] = sum;
  for (let at = 0; at < bytes.byteLength; at += 8) {
    a = (a + view.getUint32(at, little) + b) >>> 0;
    b = (b + view.getUint32(at + 4, little) + a) >>> 0;
  }
  return [a, b];
}

interface LogIndex {
  /** How many frames are committed. */
  readonly frames: number;
  /** How many of them are in the database file already. */
  readonly inFile: number;
  readonly salts: Pair;
}

/** Two copies of the header, then how far checkpoints have come. */
const indexHeaderSize = 48;
const wanted = 2 * indexHeaderSize + 4;

/** What the index says, unless a process died while it wrote it; little-endian machines only. */
export function readIndex(path: string): LogIndex | undefined {
  const descriptor = openSync(path, 'r');
  const bytes = Buffer.alloc(wanted);
  try {
    if (readSync(descriptor, bytes, 0, wanted, 0) < wanted) return undefined;
  } finally {
    closeSync(descriptor);
  }
  const header = bytes.subarray(0, indexHeaderSize);
  if (!header.equals(bytes.subarray(indexHeaderSize, 2 * indexHeaderSize))) return undefined;
  const isInitialised = header.readUInt8(12) === 1;
  const [a, b] = advance([0, 0], header.subarray(0, 40), { bigEndian: false });
  const isWhole = a === header.readUInt32LE(40) && b === header.readUInt32LE(44);
  if (!isInitialised || !isWhole) return undefined;
  return {
    frames: header.readUInt32LE(16),
    inFile: bytes.readUInt32LE(2 * indexHeaderSize),
    // Copied from the log as they are, unlike the rest.
    salts: [header.readUInt32BE(32), header.readUInt32BE(36)],
  };
}
