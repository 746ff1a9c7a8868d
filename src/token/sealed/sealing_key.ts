// Owns what a programme's token key does once it is opened: authenticate and encrypt sealed access
// tokens, and derive successors of refresh tokens.

import { createCipheriv } from 'node:crypto';

import { prepareHmac } from '../../lib/hmac.ts';
import { deriveKey } from '../../lib/seal.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { longestPlaintext } from './access_plaintext.ts';

/** Letter and key number stand before a plaintext under the MAC. */
const macHead = 2;

/** A successor's message is this word, a nonce of 12 bytes and the 61 characters of a refresh token. */
const successorWord = 'successor';
const successorBytes = successorWord.length + 12 + 61;

const blockBytes = 16;

/** A token key with its three uses prepared. */
export interface SealingKey {
  /** 0 to 255: what tokens name the key by. */
  readonly number: number;
  /** Where a plaintext is written before `tag`, or after it was deciphered. */
  readonly plaintext: Buffer;
  /** The tag of the plaintext's first `length` bytes: 32 characters, one a byte (latin1). */
  readonly tag: (letter: string, length: number) => string;
  /** The AES-256-CTR key stream for the first `length` bytes, from a counter block of 16 bytes on. */
  readonly stream: (counter: Uint8Array, length: number) => Uint8Array;
  /**
   * The HMAC from which a refresh token's successor has its secret: 43 characters of base64url. The
   * nonce has 12 characters, one a byte; the presented token has 61.
   */
  readonly next: (nonce: string, presented: string) => string;
}

/**
 * Opens a token key of 32 random bytes. The derived keys belong to one environment and programme: a
 * staging and a live service that share their key files accept no token of each other.
 */
export function openSealingKey(
  number: number,
  secret: Uint8Array,
  environment: string,
  programme: ProgrammeId,
): SealingKey {
  const derived = (use: string): Uint8Array =>
    deriveKey(secret, `jetway token 1 ${use} ${environment} ${programme}`);
  const mac = prepareHmac(derived('mac'), macHead + longestPlaintext);
  const next = prepareHmac(derived('next'), successorBytes);
  mac.message[1] = number;
  next.message.write(successorWord, 'latin1');
  return {
    number,
    plaintext: mac.message.subarray(macHead),
    tag: (letter, length) => {
      mac.message[0] = letter.charCodeAt(0);
      return mac.digest(macHead + length, 'binary');
    },
    stream: counterStream(derived('stream')),
    next: (nonce, presented) => {
      next.message.write(nonce + presented, successorWord.length, 'latin1');
      return next.digest(successorBytes, 'base64url');
    },
  };
}

const counters = Buffer.alloc(longestPlaintext + blockBytes);
/** The first so many blocks of `counters`: making a view costs as much as using it. */
const views = Array.from({ length: 8 }, (_, blocks) => counters.subarray(0, blocks * blockBytes));

/**
 * One cipher object is kept open for a key: setting one up costs more than three times as much as
 * its work. ECB over counter blocks is CTR. It is never finalised, and without padding it holds
 * nothing back of whole blocks.
 */
function counterStream(key: Uint8Array): SealingKey['stream'] {
  const aes = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  return (counter, length) => {
    counters.set(counter);
    let end = blockBytes;
    for (; end < length; end += blockBytes) addCounter(end);
    return aes.update(views[end / blockBytes] ?? counters.subarray(0, end));
  };
}

/** Writes one counter block, its predecessor plus one: the carry goes through all 16 bytes. */
function addCounter(start: number): void {
  let carry = 1;
  for (let at = start + blockBytes - 1; at >= start; at -= 1) {
    const sum = (counters[at - blockBytes] ?? 0) + carry;
    counters[at] = sum;
    carry = sum >> 8;
  }
}
