// Owns which keys a map in a file may have.

import { quote } from '../fault.ts';
import { foreignCharacterIn } from './source.ts';

// Keys that are not data to JavaScript (HOSTILE 46, 54).
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** What to make of a key. */
export interface KeyVerdict {
  /** The name to keep the entry under; undefined leaves the entry out. */
  readonly name: string | undefined;
  readonly message?: string;
  readonly hint?: string;
}

/** Judges a key that is read as `value` and was written as `written`. */
export function judgeKey(value: unknown, written: string): KeyVerdict {
  if (typeof value !== 'string') return judgeOther(value, written);
  if (value === '<<') {
    return { name: undefined, message: 'merge keys are not read', hint: 'write the keys out' };
  }
  if (forbiddenKeys.has(value)) {
    return { name: undefined, message: `the key ${quote(value)} is not allowed` };
  }
  const foreign = foreignCharacterIn(value);
  if (foreign === undefined) return { name: value };
  return { name: value, message: `this key holds ${foreign}, which is not allowed` };
}

function judgeOther(value: unknown, written: string): KeyVerdict {
  if (written === '') return { name: undefined, message: 'the key is missing before ":"' };
  let kind = value === true ? 'true' : 'false';
  if (value === null) kind = 'nothing';
  else if (typeof value === 'number') kind = 'a number';
  return {
    name: written,
    message: `the key ${written} is read as ${kind}, not as text`,
    hint: `put it in quotes: ${quote(written)}`,
  };
}
