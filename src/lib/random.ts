// Owns random text: keys, identifiers and codes drawn from an alphabet without bias.

import { randomBytes } from 'node:crypto';

/**
 * `length` characters drawn evenly from `alphabet` (2 to 256 different characters).
 * Bytes past the largest multiple of the alphabet's size are thrown away: a plain remainder would
 * favour the first letters.
 */
export function randomText(alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length + 8)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length] ?? '';
    }
  }
  return text;
}

/** `bytes` random bytes in base64url without padding. */
export function randomKey(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}
