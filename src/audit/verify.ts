// Owns verifying an audit stream: every line follows the line before it, and the newest one is there that
// the store knows of.

import { hash } from 'node:crypto';

import { present } from '../lib/present.ts';
import { UnreadableFile } from '../lib/read_file.ts';
import {
  beginning,
  type Chain,
  chainUnder,
  type Entry,
  type Mark,
  type ReadLine,
  readLine,
} from './chain.ts';
import { filesOf, inOrder, readBlocks } from './files.ts';

/** Something at a line of a file; of the stream as a whole where `line` is left out. */
export interface Finding {
  readonly file: string;
  readonly line?: number;
  readonly what: string;
}

type Place = Required<Omit<Finding, 'what'>>;

export interface Verdict {
  readonly files: readonly string[];
  readonly lines: number;
  readonly oldest?: Entry;
  readonly newest?: Entry;
  /** How many breaks of the chain there are, in the order of the lines; the first of them are named. */
  readonly broken: number;
  readonly breaks: readonly Finding[];
  /** What is no break: the ends of writers that were killed. */
  readonly notes: readonly Finding[];
}

/** Lines that must be there. */
export interface Anchors {
  /** As an earlier verdict named it. */
  readonly expected?: Entry | undefined;
  /** The newest that the store knew of, read before the files: they may be written to meanwhile. */
  readonly known?: Entry | undefined;
}

const mostNamed = 20;

/** Verifies the stream at `path`, with its rotated files. */
export async function verifyStream(
  path: string,
  key: Uint8Array,
  { expected, known }: Anchors = {},
): Promise<Verdict> {
  const files = await filesOf(path);
  const reader = new ChainReader(key, [expected, known]);
  for (const file of files) await reader.read(file);
  const end = files.at(-1) ?? path;
  reader.expect(expected, end, missing(expected));
  // Old files may be removed. What is not there of a stream that has no line any more was removed.
  if ((known?.seq ?? 0) >= reader.oldest) {
    const what = files.length === 0 ? 'the stream was removed' : 'lines are cut off at the end';
    reader.expect(known, end, `${what}: the store knows of line ${known?.seq}`);
  }
  return reader.verdict(files);
}

/** Verifies some files of a stream. */
export async function verifyFiles(
  paths: readonly string[],
  key: Uint8Array,
  expected?: Entry,
): Promise<Verdict> {
  const files = await inOrder(paths);
  const reader = new ChainReader(key, [expected]);
  for (const file of files) await reader.read(file);
  reader.expect(expected, files.at(-1) ?? '', missing(expected));
  return reader.verdict(files);
}

function missing(expected: Entry | undefined): string {
  return `the expected line ${expected?.seq} is not there`;
}

class ChainReader {
  readonly #chain: Chain;
  /** Lines that are looked for and were not read so far. */
  readonly #missing: Set<Entry | undefined>;
  readonly #breaks: Finding[] = [];
  readonly #notes: Finding[] = [];
  #broken = 0;
  #lines = 0;
  #oldest: Entry | undefined;
  #newest: Entry | undefined;
  /** A text that is no line; the line after it may tell what it is. */
  #unread: { readonly finding: Finding; readonly text: string } | undefined;

  constructor(key: Uint8Array, anchors: readonly (Entry | undefined)[]) {
    this.#chain = chainUnder(key);
    this.#missing = new Set(anchors.filter((one) => one !== undefined));
  }

  /** The number of the oldest line; 0 where there is none. */
  get oldest(): number {
    return this.#oldest?.seq ?? 0;
  }

  async read(file: string): Promise<void> {
    let line = 0;
    let size = 0;
    try {
      for await (const { lines, isWhole } of readBlocks(file)) {
        for (const text of lines) {
          line += 1;
          if (isWhole) this.#readText(text, { file, line }, size);
          else this.#note({ file, line, what: 'the last write was cut off, or is under way' });
          size += Buffer.byteLength(text) + 1;
        }
      }
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      this.#break({ file, what: error.message });
    }
    this.#settleUnread();
  }

  /** Breaks if an anchor was not read. */
  expect(anchor: Entry | undefined, file: string, what: string): void {
    if (this.#missing.has(anchor)) this.#break({ file, what });
  }

  verdict(files: readonly string[]): Verdict {
    const [lines, oldest, newest] = [this.#lines, this.#oldest, this.#newest];
    const [broken, breaks, notes] = [this.#broken, this.#breaks, this.#notes];
    return present({ files, lines, oldest, newest, broken, breaks, notes });
  }

  /** @param size bytes of the file before the text */
  #readText(text: string, at: Place, size: number): void {
    this.#lines += 1;
    const line = readLine(text);
    if (line === undefined) {
      this.#settleUnread();
      const what = 'is no line of the stream: changed, or written by something else';
      this.#unread = { finding: { ...at, what }, text };
      return;
    }
    const before = this.#newest;
    const follows = line.seq === (before?.seq ?? 0) + 1 && this.#follows(before?.mark, line);
    if (!follows || mayTell(text)) this.#judge(line, at, size, follows);
    this.#settleUnread();
    this.#oldest ??= { seq: line.seq, mark: line.mark };
    this.#newest = line;
    for (const one of this.#missing) {
      if (one?.seq === line.seq && one.mark === line.mark) this.#missing.delete(one);
    }
  }

  #follows(before: unknown, line: ReadLine): boolean {
    return this.#chain.follows((before ?? beginning.mark) as Mark, line);
  }

  /** A line that does not follow the one before it, or that tells of what its writer found. */
  #judge(line: ReadLine, at: Place, size: number, follows: boolean): void {
    const { event, after, text, why } = factsOf(line);
    const before = this.#newest;
    // Its writer knew the line before it; a reader may not.
    const isOurs = follows || (typeof after === 'string' && this.#follows(after, line));
    if (isOurs && event === 'write_cut_off' && this.#unread !== undefined) {
      // The text was there when the line was written. Version 0.1.0 wrote a digest of it.
      const { finding } = this.#unread;
      const digest = text === undefined ? undefined : hash('sha256', this.#unread.text);
      if (text === undefined ? line.size === size : digest === text) {
        this.#note({ ...finding, what: 'its writer was killed while writing it' });
        this.#unread = undefined;
      }
    }
    this.#settleUnread();
    if (!follows && before !== undefined) {
      const expected = before.seq + 1;
      this.#break({ ...at, what: line.seq === expected ? changed : gap(expected, line.seq) });
    } else if (!isOurs) {
      this.#break({ ...at, what: `${missingBefore}, or it was changed` });
    } else if (!follows && event !== 'file_begun') {
      this.#break({ ...at, what: missingBefore });
    }
    if (isOurs && event === 'chain_broken') {
      this.#break({ ...at, what: brokenTexts[String(why)] ?? changed });
    }
  }

  #settleUnread(): void {
    if (this.#unread !== undefined) this.#break(this.#unread.finding);
    this.#unread = undefined;
  }

  #break(finding: Finding): void {
    this.#broken += 1;
    if (this.#breaks.length < mostNamed) this.#breaks.push(finding);
  }

  #note(finding: Finding): void {
    if (this.#notes.length < mostNamed) this.#notes.push(finding);
  }
}

/** Nothing for a line that was changed so that it is no JSON any more. */
function factsOf({ covered }: ReadLine): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(`${covered}}`) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

const changed = 'is not as it was written, or the line before it is not';
const missingBefore = 'the lines before it are missing from this file';

function gap(expected: number, seq: number): string {
  if (seq < expected) return `line ${seq} of the stream is out of place: ${expected} is expected`;
  const last = seq - 1;
  return expected === last
    ? `line ${last} of the stream is missing before it`
    : `lines ${expected} to ${last} of the stream are missing before it`;
}

/** What writers found: the reasons of `chain_broken`. */
const brokenTexts: Readonly<Record<string, string>> = {
  removed: 'the stream had been removed before this line was written',
  cut: 'lines had been cut off the file before this one was written',
  foreign_lines: 'something else had written to the file before this line',
  // Those of version 0.1.0.
  another_file: 'another file had been put in the place of the stream',
  head_lost: 'the record of the newest line was gone: lines may have been cut off before this one',
  head_forged:
    'the record of the newest line had been changed: lines may have been cut off before this one',
};

/** Whether a line may be of an event of the stream itself; looking at the text is quick. */
function mayTell(text: string): boolean {
  return text.includes('"event":"write_cut_off"') || text.includes('"event":"chain_broken"');
}
