// Owns finding the newest line of an audit stream without reading all of it: at the end of its file, or of
// the files that were rotated.

import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';

import { type Chain, type Entry, type ReadLine, readLine } from './chain.ts';
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
export function tailOf(
  descriptor: number,
  from: number,
  end: number,
  chain: Chain,
  most = usualTail,
): Tail {
  const start = Math.max(from, end - most);
  const tail = readTail(readFrom(descriptor, start, end - start), start > from, chain);
  if (tail.newest !== undefined || start === from || most >= longestTail) return tail;
  return tailOf(descriptor, from, end, chain, longestTail);
}

/** @param isPart whether the text begins within a line */
function readTail(text: string, isPart: boolean, chain: Chain): Tail {
  const texts = text.split('\n');
  const rest = texts.pop() ?? '';
  const lines = texts.map(readLine);
  const at = lines.findLastIndex(
    (line, index) => line !== undefined && mayFollow(chain, lines[index - 1], line),
  );
  const last = lines[at];
  return {
    newest: last && { seq: last.seq, mark: last.mark },
    isCutOff: rest !== '',
    isForeign: lines.length - 1 - at > (at === -1 && isPart ? 1 : 0),
  };
}

/**
 * Whether a line can belong to this chain: its MAC follows the line before it, or the mark that it names. A line
 * that has neither cannot be checked, and passes. A forged line must not choose the next number of the stream.
 */
function mayFollow(chain: Chain, before: ReadLine | undefined, line: ReadLine): boolean {
  const [, after] = /,"after":"([\w-]{22})"/.exec(line.covered) ?? [];
  const marks = [before?.mark, after as ReadLine['mark'] | undefined].filter(
    (mark) => mark !== undefined,
  );
  return marks.length === 0 || marks.some((mark) => chain.follows(mark, line));
}

/** Rotated files that are looked into: the newest by their time, and one more. */
const mostRotated = 2;
/** Bytes of a compressed file that is read, and of what comes out of it: the writer waits for it. */
const [mostCompressed, mostText] = [8_388_608, 67_108_864];

export interface Rotated {
  readonly newest: Entry | undefined;
  /** Whether all files could be read that may hold the newest line. */
  readonly isKnown: boolean;
}

/**
 * The newest line of the rotated files. Throws nothing: a file that is being compressed is half of one.
 * @param known the newest line that the writer knows of: a file that ends with it is the last one
 */
export function newestRotated(path: string, chain: Chain, known: Entry): Rotated {
  const files = rotatedFiles(path).flatMap((file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats?.isFile() === true ? [{ file, time: stats.mtimeMs, size: stats.size }] : [];
  });
  const newest = files.toSorted((one, other) => other.time - one.time).slice(0, mostRotated);
  const found: (Entry | 'unknown' | undefined)[] = [];
  for (const { file, size } of newest) {
    const last = lastLine(file, size, chain);
    found.push(last);
    if (typeof last === 'object' && last.mark === known.mark) break;
  }
  return {
    newest: found.reduce<Entry | undefined>((one, other) => {
      if (other === undefined || other === 'unknown') return one;
      return one && one.seq > other.seq ? one : other;
    }, undefined),
    isKnown: !found.includes('unknown'),
  };
}

function lastLine(file: string, size: number, chain: Chain): Entry | 'unknown' | undefined {
  try {
    const unpack = unpackers[file.split('.').at(-1) ?? ''];
    if (unpack !== undefined) {
      if (size > mostCompressed) return 'unknown';
      const bytes = unpack(readFileSync(file), { maxOutputLength: mostText });
      const text = bytes.toString('utf8', Math.max(0, bytes.length - longestTail));
      return readTail(text, true, chain).newest;
    }
    const descriptor = openSync(file, 'r');
    try {
      return tailOf(descriptor, 0, size, chain).newest;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return 'unknown';
  }
}

type Unpack = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

const unpackers: Readonly<Record<string, Unpack>> = { gz: gunzipSync, zst: zstdDecompressSync };

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
