// Owns HMAC-SHA256 (RFC 2104) under a key that is used for many short messages.

import { hash } from 'node:crypto';

/** Bytes of a block of SHA-256. */
const blockBytes = 64;
const digestBytes = 32;

export interface PreparedHmac {
  /** The place of the message: write it here from byte 0 on. */
  readonly message: Buffer;
  /** The HMAC of the first `length` bytes of `message`; `binary` has one character a byte (latin1). */
  readonly digest: (length: number, encoding: 'binary' | 'base64url') => string;
}

/**
 * Prepares a key of at most 64 bytes for messages of at most `longest` bytes. Two one-shot hashes
 * over prepared pads cost 0.8 µs instead of the 1.9 µs of `createHmac`; the inner digest is handed
 * on as text, since a Buffer made by `hash` costs more than the hashing.
 */
export function prepareHmac(key: Uint8Array, longest: number): PreparedHmac {
  if (key.length > blockBytes) throw new RangeError('the key is longer than a block');
  const inner = Buffer.alloc(blockBytes + longest);
  const outer = Buffer.alloc(blockBytes + digestBytes);
  for (let index = 0; index < blockBytes; index += 1) {
    inner[index] = 0x36 ^ (key[index] ?? 0);
    outer[index] = 0x5c ^ (key[index] ?? 0);
  }
  return {
    message: inner.subarray(blockBytes),
    digest: (length, encoding) => {
      outer.write(
        hash('sha256', inner.subarray(0, blockBytes + length), 'binary'),
        blockBytes,
        'latin1',
      );
      return hash('sha256', outer, encoding);
    },
  };
}
