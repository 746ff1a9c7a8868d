// Owns the texts of sealed access tokens: how a plaintext is sealed and opened. Whether what a token
// says still holds is not judged here.
//
// A letter, `m` for members and `c` for clients, then base64url of: key number, 1 byte · tag, 16 ·
// ciphertext. The tag is the HMAC of letter, key number and plaintext, and the counter block of the
// key stream: a synthetic initialisation vector (the construction of RFC 5297), which needs no
// nonce and seals equal plaintexts to equal texts.

import { timingSafeEqual } from 'node:crypto';

import { BoundedMap } from '../../lib/bounded_map.ts';
import { type Access, longestPlaintext, readAccess, writeAccess } from './access_plaintext.ts';
import { decodeCanonical } from './base64url.ts';
import type { SealingKey } from './sealing_key.ts';

export interface OpenedAccess {
  readonly access: Access;
  /** The key under which it was sealed. */
  readonly key: SealingKey;
  /** Identifies the token: 22 characters of base64url. */
  readonly tag: string;
}

/** The key of a number, if it is known at the moment. */
export type FindKey = (number: number) => SealingKey | undefined;

const letters = { member: 'm', client: 'c' } as const;

const tagBytes = 16;
const headBytes = 1 + tagBytes;
const shortestText = 1 + textLength(headBytes + 1);
const longestText = 1 + textLength(headBytes + longestPlaintext);

/** A token's bytes: key number, tag, ciphertext. */
const sealed = Buffer.alloc(headBytes + longestPlaintext);
const sealedTag = sealed.subarray(1, headBytes);
const expectedTag = Buffer.alloc(tagBytes);

/**
 * Seals an access token; the same key and fields make the same text. Throws a RangeError for fields
 * that the layout has no room for.
 */
export function sealAccess(key: SealingKey, access: Access): string {
  const { plaintext } = key;
  const letter = letters[access.kind];
  const length = writeAccess(plaintext, access);
  sealedTag.write(key.tag(letter, length), 'latin1');
  sealed[0] = key.number;
  const stream = key.stream(sealedTag, length);
  for (let at = 0; at < length; at += 1) {
    sealed[headBytes + at] = (plaintext[at] ?? 0) ^ (stream[at] ?? 0);
  }
  return letter + sealed.toString('base64url', 0, headBytes + length);
}

/**
 * Opens an access token: undefined unless `sealAccess` made exactly this text under a key that
 * `findKey` knows. Nothing is read from a plaintext before its tag proved right.
 */
export function openAccess(text: string, findKey: FindKey): OpenedAccess | undefined {
  if (text.length < shortestText || text.length > longestText) return undefined;
  const kind = kindOf(text);
  if (kind === undefined) return undefined;
  const count = decodeCanonical(text, 1, sealed);
  if (count === undefined) return undefined;
  const key = findKey(sealed[0] ?? 0);
  if (key === undefined) return undefined;
  const { plaintext } = key;
  const length = count - headBytes;
  const stream = key.stream(sealedTag, length);
  for (let at = 0; at < length; at += 1) {
    plaintext[at] = (sealed[headBytes + at] ?? 0) ^ (stream[at] ?? 0);
  }
  expectedTag.write(key.tag(letters[kind], length), 'latin1');
  if (!timingSafeEqual(expectedTag, sealedTag)) return undefined;
  const access = readAccess(kind, plaintext, length);
  return access && { access, key, tag: sealedTag.toString('base64url') };
}

function kindOf(text: string): Access['kind'] | undefined {
  if (text.startsWith(letters.member)) return 'member';
  return text.startsWith(letters.client) ? 'client' : undefined;
}

/**
 * `openAccess` with a memory of at most `limit` good texts: one look-up instead of opening a text
 * again. An entry holds while its very key is the one of its number: after a restore another key
 * may have that number.
 */
export function rememberingOpener(limit: number): typeof openAccess {
  const remembered = new BoundedMap<string, OpenedAccess>(limit);
  return (text, findKey) => {
    const known = remembered.get(text);
    if (known !== undefined && findKey(known.key.number) === known.key) return known;
    const opened = openAccess(text, findKey);
    // A copy: a part of a longer text would keep all of that text in memory.
    if (opened !== undefined) remembered.set(Buffer.from(text).toString('latin1'), opened);
    return opened;
  };
}

/** Characters of base64url without padding. */
function textLength(bytes: number): number {
  return Math.ceil((bytes * 4) / 3);
}
