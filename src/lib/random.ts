// Owns random bytes and random text: keys, identifiers and codes drawn without bias; and text that
// follows from a secret as if it were drawn.

import { hash, randomFillSync } from 'node:crypto';

import type { Instant } from './clock.ts';

/** Filled by one system call for many requests: the call costs more than the bytes. */
const pool = Buffer.alloc(4096);
let used = pool.length;

/** Random bytes, of which the pool keeps no copy. */
export function randomBytes(count: number): Buffer {
  if (count > pool.length) return randomFillSync(Buffer.alloc(count));
  const bytes = Buffer.allocUnsafe(count);
  const start = take(count);
  pool.copy(bytes, 0, start, used);
  pool.fill(0, start, used);
  return bytes;
}

/** The same as a text, one character a byte (latin1); at most as many as the pool has. */
export function randomBinary(count: number): string {
  const start = take(count);
  const text = pool.toString('latin1', start, used);
  pool.fill(0, start, used);
  return text;
}

/** Where so many unused bytes of the pool begin; they end at `used`. */
function take(count: number): number {
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += count;
  return used - count;
}

/**
 * `length` characters drawn evenly from `alphabet` (2 to 256 different characters).
 * Bytes past the largest multiple of the alphabet's size are thrown away: a plain remainder would
 * favour the first letters.
 */
export function randomText(alphabet: string, length: number): string {
  return drawnText(alphabet, length, randomBytes);
}

/** As `randomText`, but the same for the same seed, which nobody can tell from the text. */
export function derivedText(alphabet: string, length: number, seed: string): string {
  let block = 0;
  return drawnText(alphabet, length, () => {
    block += 1;
    return hash('sha256', `${block} ${seed}`, 'buffer');
  });
}

function drawnText(alphabet: string, length: number, draw: (count: number) => Buffer): string {
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of draw(length - text.length + 8)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length] ?? '';
    }
  }
  return text;
}

/**
 * Six bytes of a time and six random ones, in base64url (16 characters): keys of one time lie beside each
 * other in a store.
 */
export function timedKey(time: Instant): string {
  const key = Buffer.alloc(12);
  key.writeUIntBE(Math.max(0, time), 0, 6);
  randomBytes(6).copy(key, 6);
  return key.toString('base64url');
}

/** `bytes` random bytes in base64url without padding. */
export function randomKey(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}
