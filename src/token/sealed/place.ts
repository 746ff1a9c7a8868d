// Owns the bytes of places in tokens.

import type { Place } from '../../oauth/grant.ts';

const word = 2 ** 32;

/** Bytes of a place in a token; the top three of their 56 bits are 0. */
export const placeBytes = 7;

/** Writes a place in seven bytes, most significant first. */
export function writePlace(bytes: Buffer, place: Place, at: number): void {
  bytes.writeUIntBE(Math.floor(place / word), at, placeBytes - 4);
  bytes.writeUInt32BE(place % word, at + placeBytes - 4);
}

/** The place in seven bytes; undefined from 2^53 on, where a number no longer has every digit. */
export function readPlace(bytes: Buffer, at: number): Place | undefined {
  const place =
    bytes.readUIntBE(at, placeBytes - 4) * word + bytes.readUInt32BE(at + placeBytes - 4);
  return Number.isSafeInteger(place) ? (place as Place) : undefined;
}
