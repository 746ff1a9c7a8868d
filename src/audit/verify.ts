// Owns verifying an audit stream: every line follows the line before it, and the newest one is there that
// the store knows of.

import { hash } from 'node:crypto';

import { type Chain, chainUnder, type Link, type ReadLine, readLine } from './chain.ts';
import { filesOf, inOrder, readBlocks } from './files.ts';

/** Something at a line of a file; of the stream as a whole where `line` is left out. */
export interface Finding {
  readonly file: string;
  readonly line?: number;
  readonly what: string;
}

export interface Verdict {
  readonly files: readonly string[];
  readonly lines: number;
  readonly oldest?: Link;
  readonly newest?: Link;
  /** How many breaks of the chain there are, in the order of the lines; the first of them are named. */
  readonly broken: number;
  readonly breaks: readonly Finding[];
  /** What is no break: the ends of writers that were killed. */
  readonly notes: readonly Finding[];
}

/** Lines that must be there. */
export interface Anchors {
  /** As an earlier verdict named it. */
  readonly expected?: Link | undefined;
  /** The newest that the store knew of, read before the files: they may be written to meanwhile. */
  readonly known?: Link | undefined;
}

const mostNamed = 20;

/** Verifies the stream at `path`, with its rotated files. */
export async function verifyStream(
  path: string,
  key: Uint8Array,
  { expected, known }: Anchors = {},
): Promise<Verdict> {
  const files = await filesOf(path);
  const reader = await readAll(files, key, [expected, known]);
  const { oldest } = reader;
  // Old files may be removed. What is not there of a stream that has no line any more was removed.
  const isOlder = known !== undefined && oldest !== undefined && known.seq < oldest.seq;
  const what = files.length === 0 ? 'the stream was removed' : 'lines are cut off at the end';
  const lost = `${what}: the store knows of line ${known?.seq}`;
  return reader.verdict(files, path, [
    [expected, missing(expected)],
    [isOlder ? undefined : known, lost],
  ]);
}

/** Verifies some files of a stream. */
export async function verifyFiles(
  paths: readonly string[],
  key: Uint8Array,
  expected?: Link,
): Promise<Verdict> {
  const files = await inOrder(paths);
  const reader = await readAll(files, key, [expected]);
  return reader.verdict(files, '', [[expected, missing(expected)]]);
}

function missing(expected: Link | undefined): string {
  return `the expected line ${expected?.seq} is not there`;
}

async function readAll(
  files: readonly string[],
  key: Uint8Array,
  anchors: readonly (Link | undefined)[],
): Promise<ChainReader> {
  const reader = new ChainReader(key, anchors);
  for (const file of files) await reader.read(file);
  return reader;
}

class ChainReader {
  readonly #chain: Chain;
  /** Lines that are looked for and were not read so far. */
  readonly #missing: Set<Link>;
  readonly #breaks: Finding[] = [];
  readonly #notes: Finding[] = [];
  #broken = 0;
  #lines = 0;
  #oldest: Link | undefined;
  #newest: Link | undefined;
  /** A text that is no line; the line after it may tell what it is. */
  #unread: { readonly finding: Finding; readonly text: string } | undefined;

  constructor(key: Uint8Array, anchors: readonly (Link | undefined)[]) {
    this.#chain = chainUnder(key);
    this.#missing = new Set(anchors.filter((one) => one !== undefined));
  }

  get oldest(): Link | undefined {
    return this.#oldest;
  }

  async read(file: string): Promise<void> {
    let line = 0;
    let size = 0;
    for await (const { lines, isWhole } of readBlocks(file)) {
      for (const text of lines) {
        line += 1;
        if (isWhole) this.#readText(text, { file, line, size });
        else this.#note({ file, line, what: 'the last write was cut off, or is under way' });
        size += Buffer.byteLength(text) + 1;
      }
    }
    this.#settleUnread();
  }

  /** @param anchors lines that must be there, and the break where one is not */
  verdict(
    files: readonly string[],
    path: string,
    anchors: readonly (readonly [Link | undefined, string])[],
  ): Verdict {
    const file = files.at(-1) ?? path;
    for (const [one, what] of anchors) {
      if (one !== undefined && this.#missing.has(one)) this.#break({ file, what });
    }
    return {
      files,
      lines: this.#lines,
      ...(this.#oldest && { oldest: this.#oldest }),
      ...(this.#newest && { newest: this.#newest }),
      broken: this.#broken,
      breaks: this.#breaks,
      notes: this.#notes,
    };
  }

  #readText(text: string, place: Place): void {
    const { file, line } = place;
    this.#lines += 1;
    const read = readLine(text);
    if (read === undefined) {
      this.#settleUnread();
      const what = 'is no line of the stream: changed, or written by something else';
      this.#unread = { finding: { file, line, what }, text };
      return;
    }
    const before = this.#newest;
    const follows =
      before !== undefined && read.seq === before.seq + 1 && this.#chain.follows(before.mark, read);
    if (!follows || mayTell(text)) this.#judge(read, place, follows);
    this.#settleUnread();
    this.#oldest ??= { seq: read.seq, mark: read.mark };
    this.#newest = read;
    if (this.#missing.size === 0) return;
    for (const one of this.#missing) {
      if (one.seq === read.seq && one.mark === read.mark) this.#missing.delete(one);
    }
  }

  /** A line that does not follow the one before it, or that tells of what its writer found. */
  #judge(read: ReadLine, { size, ...at }: Place, follows: boolean): void {
    const told = factsOf(read);
    const { event, after } = told;
    // Its writer knew the line before it; a reader may not.
    const isOurs =
      follows || (typeof after === 'string' && this.#chain.follows(after as Link['mark'], read));
    if (isOurs && event === 'write_cut_off') this.#explainUnread(read, size, told);
    this.#settleUnread();
    if (!isOurs) {
      this.#break({ ...at, what: this.#fault(read) });
      return;
    }
    const expected = (this.#newest?.seq ?? read.seq - 1) + 1;
    if (!follows && this.#newest !== undefined) {
      this.#break({ ...at, what: read.seq === expected ? changed : gap(expected, read.seq) });
    } else if (!follows && event !== 'file_begun' && read.seq > 1) {
      this.#break({ ...at, what: 'the lines before it are missing from this file' });
    }
    if (event === 'chain_broken')
      this.#break({ ...at, what: brokenTexts[String(told['why'])] ?? changed });
  }

  #fault({ seq }: ReadLine): string {
    const before = this.#newest;
    if (before === undefined)
      return 'the lines before it are missing from this file, or it was changed';
    return seq === before.seq + 1 ? changed : gap(before.seq + 1, seq);
  }

  /** What a killed writer left is told by the writer after it: it was there when that wrote. */
  #explainUnread(
    { size }: ReadLine,
    found: number,
    { text }: Readonly<Record<string, unknown>>,
  ): void {
    if (this.#unread === undefined) return;
    // Version 0.1.0 wrote a digest of the text.
    const wasThere =
      text === undefined ? size === found : hash('sha256', this.#unread.text) === text;
    if (!wasThere) return;
    this.#note({ ...this.#unread.finding, what: 'its writer was killed while writing it' });
    this.#unread = undefined;
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

/** A line's place, and the bytes before it. */
interface Place {
  readonly file: string;
  readonly line: number;
  readonly size: number;
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
