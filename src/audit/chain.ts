// Owns the chain over the lines of an audit file: each line has a number, the size that its file had before
// it, and a mark (a MAC) that covers the line and the mark before it. Whoever has no key can neither change,
// remove, insert nor swap lines unnoticed.

import { keyedDigest } from '../lib/digest.ts';
import { prepareHmac } from '../lib/hmac.ts';

/** The MAC of a line and of all lines before it. */
export type Mark = string & { readonly __brand: 'Mark' };

/** A line of the chain: its number, and its MAC. */
export interface Entry {
  readonly seq: number;
  readonly mark: Mark;
}

/** What the first line of all follows. */
export const beginning: Entry = { seq: 0, mark: '' as Mark };

/** 128 bits in base64url: half of an HMAC-SHA256 (RFC 2104 5). */
const markLength = 22;
/** Characters of `,"mac":"…"}`. */
const tailLength = markLength + 10;
const lineForm = /^\{"seq":(\d{1,15}),(?:"size":(\d{1,15}),)?.*,"mac":"([\w-]{22})"\}$/;
/** Bytes of a line, and of the mark before it, that are digested where they lie. */
const usualLine = 3072;

/** A line as it stands in a file; all but its text is what it claims. */
export interface ReadLine extends Entry {
  /** Bytes of the file before the line; lines of version 0.1.0 have none. */
  readonly size?: number;
  readonly text: string;
  /** The line without its mark. */
  readonly covered: string;
}

/** A line that is to be written. */
export interface MadeLine extends Entry {
  /** Without its mark. */
  readonly covered: string;
  /** The rest, with the line's end. */
  readonly end: string;
  /** Bytes of both. */
  readonly bytes: number;
}

export interface Chain {
  /**
   * The line after `before`, in a file of `size` bytes. `members` are those of its JSON object, without
   * braces.
   */
  readonly line: (before: Entry, size: number, members: string) => MadeLine;
  /** Whether the line was made by this key, to follow a line with the mark `before`. */
  readonly follows: (before: Mark, line: Pick<ReadLine, 'covered' | 'mark'>) => boolean;
}

export function chainUnder(key: Uint8Array): Chain {
  const { message, digest } = prepareHmac(key, usualLine);
  // A mark has a fixed length and a line begins with a brace: no two lines share a text.
  const macOf = (before: Mark, covered: string): string => {
    if (covered.length * 3 + markLength > usualLine) return keyedDigest(key, before + covered);
    const start = message.write(before, 'latin1');
    return digest(start + message.write(covered, start), 'base64url');
  };
  const markOf = (before: Mark, covered: string): Mark =>
    macOf(before, covered).slice(0, markLength) as Mark;
  return {
    line: (before, size, members) => {
      const seq = before.seq + 1;
      const covered = `{"seq":${seq},"size":${size},${members}`;
      const mark = markOf(before.mark, covered);
      const end = `,"mac":"${mark}"}\n`;
      return { seq, mark, covered, end, bytes: Buffer.byteLength(covered) + end.length };
    },
    // Without the time of comparing: whoever can try marks has the file, and no answer is given.
    follows: (before, { covered, mark }) => markOf(before, covered) === mark,
  };
}

/** A line of a file; undefined for a text that has not the form of one. */
export function readLine(text: string): ReadLine | undefined {
  const [, seq, size, mark] = lineForm.exec(text) ?? [];
  if (seq === undefined || mark === undefined) return undefined;
  const covered = text.slice(0, -tailLength);
  const line = { seq: Number(seq), mark: mark as Mark, text, covered };
  return size === undefined ? line : { ...line, size: Number(size) };
}
