// Owns one-way digests: what stands in the store in place of a code, a token or a secret.

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

/** Compares two digests in time that depends on neither. */
export function sameDigest(a: Digest, b: Digest): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
