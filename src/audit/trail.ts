// Owns appending lines to an audit file: by several processes in turn, whatever became of the file
// meanwhile (rotated, cut, written to by others, or left with half a line by a process that was killed).

import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';

import { beginning, type Chain, chainUnder, type Link, readLine } from './chain.ts';
import { eventText } from './event.ts';
import { type Head, HeadForged, HeadRecord } from './head.ts';

export interface TrailOptions {
  /** Absolute. */
  readonly path: string;
  readonly key: Uint8Array;
  /** Milliseconds to wait for another writer's turn to end. */
  readonly patience: number;
}

/** The file that is open. */
interface OpenFile {
  readonly descriptor: number;
  /** Device and inode. */
  readonly identity: string;
}

/** Where the next line goes, and the lines that say what was found. */
interface Place {
  readonly link: Link;
  readonly size: number;
  /** A line feed, where the file ends within a line. */
  readonly closing: '' | '\n';
  /** The members of lines to be written first. */
  readonly found: readonly string[];
}

export class Trail {
  readonly #path: string;
  readonly #chain: Chain;
  readonly #head: HeadRecord;
  #file: OpenFile | undefined;

  /** @throws an error of the system or of SQLite where the file's folder cannot be written to */
  constructor({ path, key, patience }: TrailOptions) {
    this.#path = path;
    this.#chain = chainUnder(key);
    this.#head = new HeadRecord(path, this.#chain, patience);
  }

  /**
   * Appends a line for each text, of the members of a JSON object (event.ts): all of them or none.
   * They are handed to the system, not yet to the disk.
   * @throws an error of the system or of SQLite; then the next call may do better
   */
  append(events: readonly string[]): void {
    this.#head.inTurn((undoing) => {
      const file = this.#openNewest();
      const { size: end } = fstatSync(file.descriptor);
      // Lines without a head would be found by the next writer, and be written again by this one.
      undoing(() => ftruncateSync(file.descriptor, end));
      const { link: from, size, closing, found } = this.#place(file, end);
      let link = from;
      let text = closing;
      for (const members of [...found, ...events]) {
        const line = this.#chain.line(link, members);
        text += `${line.text}\n`;
        link = line;
      }
      const written = write(file, text);
      return { seq: link.seq, mark: link.mark, file: file.identity, size: size + written };
    });
  }

  /** Returns once what was appended is on the disk. */
  sync(): void {
    if (this.#file !== undefined) fdatasyncSync(this.#file.descriptor);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file.descriptor);
    this.#file = undefined;
    this.#head.close();
  }

  /** The file of that name by now: logrotate and others rename it. */
  #openNewest(): OpenFile {
    if (this.#file !== undefined) {
      if (identityAt(this.#path) === this.#file.identity) return this.#file;
      // Lines of before may not be on the disk yet.
      this.sync();
      closeSync(this.#file.descriptor);
      this.#file = undefined;
    }
    const { O_APPEND, O_CREAT, O_RDWR, O_NONBLOCK } = constants;
    // Without waiting for a reader, where it is a pipe.
    const flags = O_APPEND | O_CREAT | O_RDWR | O_NONBLOCK;
    const descriptor = openSync(this.#path, flags, 0o600);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) {
      closeSync(descriptor);
      throw new Error(`${this.#path} is not a regular file`);
    }
    this.#file = { descriptor, identity: `${stats.dev}:${stats.ino}` };
    return this.#file;
  }

  #place(file: OpenFile, end: number): Place {
    const head = this.#readHead();
    if (head === undefined || head === 'forged') return this.#placeWithoutHead(file, end, head);
    if (end === 0) {
      const found = [eventText('file_begun', { after: head.mark })];
      return { link: head, size: 0, closing: '', found };
    }
    if (file.identity !== head.file) return this.#broken(file, end, head, 'another_file');
    if (end < head.size) return this.#broken(file, end, head, 'cut');
    return end === head.size
      ? { link: head, size: end, closing: '', found: [] }
      : this.#placeAfter(file, head, end);
  }

  #readHead(): Head | 'forged' | undefined {
    try {
      return this.#head.read();
    } catch (error) {
      if (error instanceof HeadForged) return 'forged';
      throw error;
    }
  }

  /** A first start; or the head was lost: then the file's last line is taken for the newest. */
  #placeWithoutHead(file: OpenFile, end: number, head: 'forged' | undefined): Place {
    if (end > 0) {
      const why = head === 'forged' ? 'head_forged' : 'head_lost';
      return this.#broken(file, end, lastLink(file, end), why);
    }
    const found = [
      eventText('file_begun', { after: beginning.mark }),
      ...(head === 'forged' ? [eventText('chain_broken', { why: 'head_forged' })] : []),
    ];
    return { link: beginning, size: 0, closing: '', found };
  }

  /** There is more than the head knows of: lines of a writer that was killed before it could say so. */
  #placeAfter(file: OpenFile, head: Head, end: number): Place {
    const text = readFrom(file, head.size, end - head.size);
    const lines = text.split('\n');
    let link: Link = head;
    let size = head.size;
    while (lines.length > 1) {
      const line = readLine(lines[0] ?? '');
      if (line?.seq !== link.seq + 1 || !this.#chain.follows(link.mark, line)) break;
      link = line;
      size += Buffer.byteLength(line.text) + 1;
      lines.shift();
    }
    if (lines.length > 1) return this.#broken(file, end, link, 'foreign_lines');
    const [rest = ''] = lines;
    if (rest === '') return { link, size, closing: '', found: [] };
    const found = [eventText('write_cut_off', { after: link.mark, text: hash('sha256', rest) })];
    return { link, size: end + 1, closing: '\n', found };
  }

  #broken(file: OpenFile, end: number, link: Link, why: string): Place {
    const closing = end === 0 || readFrom(file, end - 1, 1) === '\n' ? '' : '\n';
    const found = [eventText('chain_broken', { after: link.mark, why })];
    return { link, size: end + closing.length, closing, found };
  }
}

/** Returns the bytes of the text without a closing line feed that was counted before. */
function write({ descriptor }: OpenFile, text: string): number {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
  return text.startsWith('\n') ? bytes.length - 1 : bytes.length;
}

function identityAt(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

function readFrom({ descriptor }: OpenFile, from: number, length: number): string {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const part = readSync(descriptor, bytes, read, length - read, from + read);
    if (part === 0) break;
    read += part;
  }
  return bytes.toString('utf8', 0, read);
}

/** More than the longest line. */
const longestTail = 65_536;

/** The last whole line of a file. */
function lastLink(file: OpenFile, end: number): Link {
  const from = Math.max(0, end - longestTail);
  const lines = readFrom(file, from, end - from)
    .split('\n')
    .slice(0, -1)
    .map(readLine);
  return lines.findLast((line) => line !== undefined) ?? beginning;
}
