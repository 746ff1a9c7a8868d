// Owns the chain over the lines of an audit file: each line has a number, and a mark (a MAC) that covers
// the line and the mark before it. Whoever has no key can neither change, remove, insert nor swap lines
// unnoticed.

import { keyedDigester } from '../lib/digest.ts';

/** The MAC of a line and of all lines before it. */
export type Mark = string & { readonly __brand: 'Mark' };

/** A line's place in the chain. */
export interface Link {
  readonly seq: number;
  readonly mark: Mark;
}

/** The link before the first line of all. */
export const beginning: Link = { seq: 0, mark: '' as Mark };

/** 128 bits in base64url: half of an HMAC-SHA256 (RFC 2104 5). */
const markLength = 22;
/** Characters of `,"mac":"…"}`. */
const tailLength = markLength + 10;
const lineForm = /^\{"seq":(\d{1,15}),.*,"mac":"([\w-]{22})"\}$/;
/** Bytes of a line that are digested without allocation; see `keyedDigester`. */
const usualLine = 3072;

/** A line as it stands in a file; `seq` and `mark` are what it claims. */
export interface ReadLine extends Link {
  readonly text: string;
  /** The line without its mark. */
  readonly covered: string;
}

export interface Chain {
  /** The line after `before`. `members` are those of its JSON object, without braces. */
  readonly line: (before: Link, members: string) => ReadLine;
  /** Whether the line was made by this key, to follow a line with the mark `before`. */
  readonly follows: (before: Mark, line: ReadLine) => boolean;
  /** The MAC of a text that is no line. */
  readonly seal: (text: string) => Mark;
}

export function chainUnder(key: Uint8Array): Chain {
  const digest = keyedDigester(key, usualLine);
  const macOf = (text: string): Mark => digest(text).slice(0, markLength) as Mark;
  // A mark has a fixed length and a line begins with a brace: no line and seal share a text.
  const markOf = (before: Mark, covered: string): Mark => macOf(`${before}${covered}`);
  return {
    line: (before, members) => {
      const seq = before.seq + 1;
      const covered = `{"seq":${seq},${members}`;
      const mark = markOf(before.mark, covered);
      return { seq, mark, covered, text: `${covered},"mac":"${mark}"}` };
    },
    // Without the time of comparing: whoever can try marks has the file, and no answer is given.
    follows: (before, { covered, mark }) => markOf(before, covered) === mark,
    seal: (text) => macOf(`seal ${text}`),
  };
}

/** A line of a file; undefined for a text that has not the form of one. */
export function readLine(text: string): ReadLine | undefined {
  const [, seq, mark] = lineForm.exec(text) ?? [];
  if (seq === undefined || mark === undefined) return undefined;
  return { seq: Number(seq), mark: mark as Mark, text, covered: text.slice(0, -tailLength) };
}
