// Owns appending lines to an audit file: by several processes in turn, whatever became of the file
// meanwhile (rotated, cut, removed, written to by others, or left with half a line by a process that was
// killed). What a writer finds there is a state, and the lines that tell of it come first.

import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncate,
  ftruncateSync,
  openSync,
  statSync,
  write,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';

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

/** Lines that are to be written. */
interface Lines {
  readonly file: OpenFile;
  /** Bytes of the file before them. */
  readonly end: number;
  readonly bytes: Uint8Array;
  /** The last of them. */
  readonly newest: Entry;
}

const writing = promisify(write);
const truncating = promisify(ftruncate);
const syncing = promisify(fdatasync);

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
    const lines = this.#begin(events);
    const { file, end, bytes } = lines;
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(file.descriptor, bytes, at);
      this.#settle(lines);
    } catch (error) {
      // Lines that are reported as not written would be written again.
      ftruncateSync(file.descriptor, end);
      throw error;
    } finally {
      this.#turns.giveBack();
    }
  }

  /** The same while the caller goes on; only one append or sync at a time. */
  async appendBeside(events: readonly string[]): Promise<void> {
    // Synced here, beside requests: closing the renamed file then has nothing to wait for.
    if (this.#isRenamed) await this.syncBeside();
    const lines = this.#begin(events);
    const { file, end, bytes } = lines;
    try {
      for (let at = 0; at < bytes.length;) {
        const { bytesWritten } = await writing(file.descriptor, bytes, at);
        at += bytesWritten;
      }
      this.#settle(lines);
    } catch (error) {
      await truncating(file.descriptor, end);
      throw error;
    } finally {
      this.#turns.giveBack();
    }
  }

  /** Returns once what was appended is on the disk. */
  sync(): void {
    if (this.#file !== undefined) fdatasyncSync(this.#file.descriptor);
  }

  /** The same while the caller goes on. */
  async syncBeside(): Promise<void> {
    if (this.#file !== undefined) await syncing(this.#file.descriptor);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file.descriptor);
    this.#file = undefined;
    this.#turns.close();
  }

  get #isRenamed(): boolean {
    return this.#file !== undefined && identityAt(this.#path) !== this.#file.identity;
  }

  /** Takes the writers' turn, and makes the lines that come next. */
  #begin(events: readonly string[]): Lines {
    this.#turns.take();
    try {
      const file = this.#openNewest();
      const { size: end } = fstatSync(file.descriptor);
      const { after, closing, events: found } = this.#look(file, end);
      const texts: string[] = [closing];
      let size = end + closing.length;
      let newest = after;
      for (const members of [...found.map((one) => eventText(...one)), ...events]) {
        const line = this.#chain.line(newest, size, members);
        texts.push(line.covered, line.end);
        size += line.bytes;
        newest = line;
      }
      const bytes = Buffer.allocUnsafe(size - end);
      let at = 0;
      for (const text of texts) at += bytes.write(text, at);
      return { file, end, bytes, newest };
    } catch (error) {
      this.#turns.giveBack();
      throw error;
    }
  }

  #settle({ file, end, bytes, newest: { seq, mark } }: Lines): void {
    file.size = end + bytes.length;
    this.#newest = { seq, mark };
  }

  /** The file of that name by now: logrotate and others rename it. */
  #openNewest(): OpenFile {
    if (this.#file !== undefined) {
      if (!this.#isRenamed) return this.#file;
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
      const { newest = beginning, isKnown } = newestRotated(this.#path, this.#chain, known);
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

function identityAt(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

const isLocked = 'database is locked';

/** Whether an append has failed because it was another writer's turn. */
export function isTurnOfOther(error: unknown): boolean {
  return error instanceof Error && error.message === isLocked;
}

/** SQLite's words for a lock say nothing to operators. */
const words: Readonly<Record<string, string>> = {
  [isLocked]: 'another process keeps it locked',
  'file is not a database': 'the file of its lock, which ends in .lock, is not empty: remove that',
};

export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return words[text] ?? text;
}
