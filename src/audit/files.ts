// Owns finding and reading the files of an audit stream: the one that is written to, and those that were
// rotated, compressed ones included. Files are read in pieces, whatever their size.

import { createReadStream, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';

import { UnreadableFile } from '../lib/read_file.ts';
import { readLine } from './chain.ts';

/** Some lines of a file, in order. */
export interface LineBlock {
  readonly lines: readonly string[];
  /** Whether the last of them ends with a line feed. */
  readonly isWhole: boolean;
}

const decompressors = new Map<string, () => Transform>([
  ['gz', () => createGunzip()],
  ['zst', () => createZstdDecompress()],
]);

/** No line of an audit file is longer; a file that is none may have no line feed at all. */
const longestLine = 1_048_576;

/** @throws UnreadableFile after what could be read: a disk that fails, a compressed file that is damaged */
export async function* readBlocks(path: string): AsyncGenerator<LineBlock> {
  const source = createReadStream(path, { highWaterMark: 262_144 });
  const decompress = decompressors.get(path.split('.').at(-1) ?? '');
  // The error reaches whoever reads the result.
  const text: Readable = decompress ? pipeline(source, decompress(), () => undefined) : source;
  text.setEncoding('utf8');
  let rest = '';
  try {
    for await (const part of text as AsyncIterable<string>) {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > longestLine) lines.push(rest);
      if (rest.length > longestLine) rest = '';
      if (lines.length > 0) yield { lines, isWhole: true };
    }
  } catch (error) {
    const { message } = error as Error;
    throw new UnreadableFile(`cannot be read to its end (${message})`, { cause: error });
  }
  if (rest !== '') yield { lines: [rest], isWhole: false };
}

/** `audit.jsonl.1`, `audit.jsonl-20261123`, `audit.jsonl.2.gz`; not `audit.jsonl.lock`. */
const rotatedSuffix = /^[.-]\d[\w.:+-]*$/;

/** The files that the stream was rotated to, in any order. */
export function rotatedFiles(path: string): readonly string[] {
  const [folder, name] = [dirname(path), basename(path)];
  return readdirSync(folder)
    .filter((one) => one.startsWith(name) && rotatedSuffix.test(one.slice(name.length)))
    .map((one) => join(folder, one));
}

/** Not so for a pipe, which would be waited for. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The stream's files in the order of their lines; empty where there is none. */
export async function filesOf(path: string): Promise<readonly string[]> {
  return inOrder([...rotatedFiles(path), path].filter(isFile));
}

/** By the number of their first line; files without lines are left out. */
export async function inOrder(paths: readonly string[]): Promise<readonly string[]> {
  const begun = await Promise.all(paths.map(async (path) => ({ path, seq: await firstSeq(path) })));
  return begun
    .filter(({ seq }) => seq !== undefined)
    .toSorted((one, other) => (one.seq ?? 0) - (other.seq ?? 0))
    .map(({ path }) => path);
}

/** 0 for a file that does not begin with a line of a stream, or cannot be read; undefined for an empty file. */
async function firstSeq(path: string): Promise<number | undefined> {
  try {
    for await (const { lines } of readBlocks(path)) {
      return lines[0] === undefined ? undefined : (readLine(lines[0])?.seq ?? 0);
    }
    return undefined;
  } catch {
    return 0;
  }
}
