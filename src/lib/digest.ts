// Owns one-way digests, which the store keeps in place of codes, tokens and secrets.

import { createHmac, hash, timingSafeEqual } from 'node:crypto';

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

/** Bytes of a block of SHA-256. */
const block = 64;
/** Bytes of text that the prepared buffer has room for; a character takes three at most. */
const longestPrepared = 1024;

/**
 * `keyedDigest` under one key, prepared for many texts: RFC 2104 as two one-shot hashes, which cost
 * a quarter of setting up an HMAC for each text. The key has at most 64 bytes.
 */
export function keyedDigester(key: Uint8Array): (text: string) => Digest {
  if (key.length > block) throw new RangeError('the key is longer than a block');
  const inner = Buffer.alloc(block + longestPrepared, 0x36);
  const outer = Buffer.alloc(block + 32, 0x5c);
  for (const [index, byte] of key.entries()) {
    inner[index] = 0x36 ^ byte;
    outer[index] = 0x5c ^ byte;
  }
  return (text) => {
    if (text.length * 3 > longestPrepared) return keyedDigest(key, text);
    const end = block + inner.write(text, block);
    outer.set(hash('sha256', inner.subarray(0, end), 'buffer'), block);
    const made = hash('sha256', outer, 'base64url') as Digest;
    // Leaves no copy of the secret.
    inner.fill(0, block, end);
    outer.fill(0, block);
    return made;
  };
}

/** Compares two digests in time that depends on neither. */
export function sameDigest(a: Digest, b: Digest): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
