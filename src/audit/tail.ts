// Owns finding the newest line of an audit stream without reading all of it: at the end of its file, or of
// the files that were rotated.

import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';

import { type Entry, readLine } from './chain.ts';
import { rotatedFiles } from './files.ts';

/** More than a usual line, and more than the longest (files.ts). */
const [usualTail, longestTail] = [65_536, 2_097_152];

export interface Tail {
  readonly newest: Entry | undefined;
  /** Whether it ends within a line. */
  readonly isCutOff: boolean;
  /** Whether whole texts follow the newest line that are no lines of a stream. */
  readonly isForeign: boolean;
}

/** What the last bytes of an open file are, of those from `from` to `end`. */
export function tailOf(descriptor: number, from: number, end: number, most = usualTail): Tail {
  const start = Math.max(from, end - most);
  const tail = readTail(readFrom(descriptor, start, end - start), start > from);
  if (tail.newest !== undefined || start === from || most >= longestTail) return tail;
  return tailOf(descriptor, from, end, longestTail);
}

/** @param isPart whether the text begins within a line */
function readTail(text: string, isPart: boolean): Tail {
  const texts = text.split('\n');
  const rest = texts.pop() ?? '';
  const lines = texts.map(readLine);
  const at = lines.findLastIndex((line) => line !== undefined);
  const last = lines[at];
  return {
    newest: last && { seq: last.seq, mark: last.mark },
    isCutOff: rest !== '',
    isForeign: lines.length - 1 - at > (at === -1 && isPart ? 1 : 0),
  };
}

/** Rotated files that are looked into: the newest by their time, and one more. */
const mostRotated = 2;

/** The newest line of the rotated files; undefined where there is none. */
export function newestRotated(path: string): Entry | undefined {
  const files = rotatedFiles(path).map((file) => ({ file, time: statSync(file).mtimeMs }));
  const newest = files.toSorted((one, other) => other.time - one.time).slice(0, mostRotated);
  return newest
    .flatMap(({ file }) => lastLine(file) ?? [])
    .reduce<Entry | undefined>(
      (one, other) => (one && one.seq > other.seq ? one : other),
      undefined,
    );
}

function lastLine(file: string): Entry | undefined {
  const ending = file.split('.').at(-1);
  if (ending === 'gz') return lastOf(gunzipSync(readFileSync(file)));
  if (ending === 'zst') return lastOf(zstdDecompressSync(readFileSync(file)));
  const descriptor = openSync(file, 'r');
  try {
    return tailOf(descriptor, 0, statSync(file).size).newest;
  } finally {
    closeSync(descriptor);
  }
}

function lastOf(bytes: Buffer): Entry | undefined {
  return readTail(bytes.toString('utf8', Math.max(0, bytes.length - longestTail)), true).newest;
}

function readFrom(descriptor: number, from: number, length: number): string {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const part = readSync(descriptor, bytes, read, length - read, from + read);
    if (part === 0) break;
    read += part;
  }
  return bytes.toString('utf8', 0, read);
}
