// Owns one-way digests, which the store keeps in place of codes, tokens and secrets.

import { createHmac, hash, timingSafeEqual } from 'node:crypto';

import { prepareHmac } from './hmac.ts';

/** The base64url SHA-256 (or HMAC-SHA256) of a secret text; never the text itself. */
export type Digest = string & { readonly __brand: 'Digest' };

/** SHA-256 of a text that is random enough to need no key: codes and tokens. */
export function digest(text: string): Digest {
  return hash('sha256', text, 'base64url') as Digest;
}

/** HMAC-SHA256 under a key, for secrets that a person may have chosen. */
export function keyedDigest(key: Uint8Array, text: string): Digest {
  return createHmac('sha256', key).update(text).digest('base64url') as Digest;
}

/**
 * `keyedDigest` under one key of at most 64 bytes, prepared for many texts.
 *
 * @param longest bytes of text that the prepared buffer has room for; a character takes three at most
 */
export function keyedDigester(key: Uint8Array, longest = 1024): (text: string) => Digest {
  const prepared = prepareHmac(key, longest);
  return (text) => {
    if (text.length * 3 > longest) return keyedDigest(key, text);
    const length = prepared.message.write(text);
    const made = prepared.digest(length, 'base64url') as Digest;
    // Leaves no copy of the secret.
    prepared.message.fill(0, 0, length);
    return made;
  };
}

/** Compares two digests, whole or cut, or other texts, in time that depends on their length alone. */
export function sameDigest(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  const [left, right] = pairOf(a.length);
  left.write(a, 'latin1');
  right.write(b, 'latin1');
  // One byte is written of each character: only what is the same by then is compared as it is.
  return timingSafeEqual(left, right) && a === b;
}

type Pair = readonly [Buffer, Buffer];

/** By length, of which there are few: two new buffers for each comparison would cost twice the time. */
const pairs = new Map<number, Pair>();

function pairOf(length: number): Pair {
  const known = pairs.get(length);
  if (known !== undefined) return known;
  const made: Pair = [Buffer.alloc(length), Buffer.alloc(length)];
  pairs.set(length, made);
  return made;
}
