// Owns appending lines to an audit file: by several processes in turn, whatever became of the file
// meanwhile (rotated, cut, removed, written to by others, or left with half a line by a process that was
// killed). What a writer finds there is a state, and the lines that tell of it come first.

import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs';

import { beginning, type Chain, chainUnder, type Entry } from './chain.ts';
import { type EventName, eventText, type Facts } from './event.ts';
import { newestRotated, tailOf } from './tail.ts';
import { Turns } from './turns.ts';

export interface TrailOptions {
  /** Absolute. */
  readonly path: string;
  readonly key: Uint8Array;
  /** Milliseconds to wait for another writer's turn to end. */
  readonly patience: number;
  /** A line that the stream must have: the newest that the store knows of. */
  readonly known?: Entry | undefined;
}

/** The file that is open. */
interface OpenFile {
  readonly descriptor: number;
  /** Device and inode. */
  readonly identity: string;
  /** Bytes up to the end of the newest line, as far as this writer knows; 0 at first. */
  size: number;
}

/** What a writer finds. */
interface Found {
  /** The line to go on after. */
  readonly after: Entry;
  /** A line feed where the file ends within a line. */
  readonly closing: '' | '\n';
  /** What there is to tell of it. */
  readonly events: readonly (readonly [EventName, Facts])[];
}

export class Trail {
  readonly #path: string;
  readonly #chain: Chain;
  readonly #turns: Turns;
  #file: OpenFile | undefined;
  #newest: Entry | undefined;

  /** @throws an error of the system or of SQLite where the file's folder cannot be written to */
  constructor({ path, key, patience, known }: TrailOptions) {
    this.#path = path;
    this.#chain = chainUnder(key);
    this.#turns = new Turns(path, patience);
    this.#newest = known;
  }

  /** The newest line that this writer knows of. */
  get newest(): Entry | undefined {
    return this.#newest;
  }

  /**
   * Appends a line for each text, of the members of a JSON object (event.ts): all of them or none.
   * They are handed to the system, not yet to the disk.
   * @throws an error of the system or of SQLite; then the next call may do better
   */
  append(events: readonly string[]): void {
    this.#turns.take(() => {
      const file = this.#openNewest();
      const { size: end } = fstatSync(file.descriptor);
      const { after, closing, events: found } = this.#look(file, end);
      let text: string = closing;
      let size = end + closing.length;
      let newest = after;
      for (const members of [...found.map((one) => eventText(...one)), ...events]) {
        const line = this.#chain.line(newest, size, members);
        text += `${line.text}\n`;
        size += Buffer.byteLength(line.text) + 1;
        newest = line;
      }
      try {
        write(file, text);
      } catch (error) {
        // Lines that are reported as not written would be written again.
        ftruncateSync(file.descriptor, end);
        throw error;
      }
      file.size = size;
      this.#newest = { seq: newest.seq, mark: newest.mark };
    });
  }

  /** Returns once what was appended is on the disk. */
  sync(): void {
    if (this.#file !== undefined) fdatasyncSync(this.#file.descriptor);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file.descriptor);
    this.#file = undefined;
    this.#turns.close();
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
    this.#file = { descriptor, identity: `${stats.dev}:${stats.ino}`, size: 0 };
    return this.#file;
  }

  /** Each event names the mark that it follows: a reader that misses that line can tell that it is ours. */
  #look({ descriptor, size }: OpenFile, end: number): Found {
    const known = this.#newest ?? beginning;
    if (end === 0) {
      // Rotated; else the first start, or the stream was removed.
      const { newest = beginning, isKnown } = newestRotated(this.#path, this.#chain);
      const isBehind = isBefore(newest, known);
      // What cannot be read may hold the newest line: `verify` reads all of it.
      const isGone = isBehind && isKnown;
      const after = isBehind ? known : newest;
      const begun = ['file_begun', { after: after.mark }] as const;
      const removed = ['chain_broken', { why: 'removed' }] as const;
      return { after, closing: '', events: isGone ? [begun, removed] : [begun] };
    }
    if (end === size) return { after: known, closing: '', events: [] };
    // Beyond what this writer knows of: lines of others.
    const from = end > size ? size : 0;
    const { newest = from === 0 ? beginning : known, ...tail } = tailOf(
      descriptor,
      from,
      end,
      this.#chain,
    );
    const isGone = isBefore(newest, known);
    const after = isGone ? known : newest;
    const closing = tail.isCutOff ? '\n' : '';
    const cut = isGone ? 'cut' : undefined;
    const why = cut ?? (tail.isForeign ? 'foreign_lines' : undefined);
    const facts = { after: after.mark };
    if (why !== undefined) return { after, closing, events: [['chain_broken', { ...facts, why }]] };
    return { after, closing, events: tail.isCutOff ? [['write_cut_off', facts]] : [] };
  }
}

/** Whether the newest line that is there is not, or does not follow, one that was there. */
function isBefore(newest: Entry, known: Entry): boolean {
  return newest.seq < known.seq || (newest.seq === known.seq && newest.mark !== known.mark);
}

function write({ descriptor }: OpenFile, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

function identityAt(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

/** SQLite's words for a lock say nothing to operators. */
const words: Readonly<Record<string, string>> = {
  'database is locked': 'another process keeps it locked',
  'file is not a database': 'the file of its lock, which ends in .lock, is not empty: remove that',
};

export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return words[text] ?? text;
}
