// Owns the text of refresh tokens: a login's place, a generation and two secrets of their holder,
// of which stores keep digests.
//
// `r` and base64url of: version (0), 1 byte · place, 7 · generation from 1, 4 · login secret, 12,
// the same in all tokens of a login · secret of the generation, 21.

import { hash } from 'node:crypto';

import { randomBinary, randomBytes } from '../../lib/random.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { lastGeneration, type Place } from '../../oauth/grant.ts';
import { placeText } from '../../oauth/place.ts';
import { decodeCanonical } from './base64url.ts';
import { placeBytes, readPlace, writePlace } from './place.ts';
import type { SealingKey } from './sealing_key.ts';

/** A refresh token that was read but not proved: nothing in it is known to be right. */
export interface RefreshText {
  readonly text: string;
  readonly place: Place;
  /** From 1 to 2^32 − 1. */
  readonly generation: number;
  /** 16 characters. */
  readonly loginSecret: string;
}

const version = 0;
const generationAt = 1 + placeBytes;
const headBytes = generationAt + 4;
const loginSecretBytes = 12;
const secretBytes = 21;

/** Each part has whole groups of three bytes: parts of the text are cut by characters. */
const loginSecretAt = 1 + charactersOf(headBytes);
const secretAt = loginSecretAt + charactersOf(loginSecretBytes);
const secretLength = charactersOf(secretBytes);
const textLength = secretAt + secretLength;

/** What refresh tokens look like. */
export const refreshTextShape = {
  prefix: 'r',
  characters: 'base64url',
  length: textLength - 1,
} as const;

const nonceBytes = 12;
const loginDigestBytes = 12;
const refreshDigestBytes = 16;

const bytes = Buffer.alloc(headBytes + loginSecretBytes + secretBytes);

/** The first refresh token of a login; its two secrets are random. */
export function firstRefreshText(place: Place): RefreshText {
  const secrets = randomBytes(loginSecretBytes + secretBytes).toString('base64url');
  const loginSecret = secrets.slice(0, charactersOf(loginSecretBytes));
  const text = headOf(place, 1) + secrets;
  return { text, place, generation: 1, loginSecret };
}

/** Reads a refresh token; undefined unless it is the one spelling of a possible token. */
export function parseRefreshText(text: string): RefreshText | undefined {
  if (text.length !== textLength || !text.startsWith('r')) return undefined;
  if (decodeCanonical(text, 1, bytes) !== bytes.length || bytes[0] !== version) return undefined;
  const place = readPlace(bytes, 1);
  const generation = bytes.readUInt32BE(generationAt);
  if (place === undefined || generation === 0) return undefined;
  return { text, place, generation, loginSecret: text.slice(loginSecretAt, secretAt) };
}

/** The digest by which a login knows its tokens: 12 bytes, one character a byte (latin1). */
export function loginDigest(programme: ProgrammeId, token: RefreshText): string {
  const named = `jetway login ${programme} ${placeText(token.place)} ${token.loginSecret}`;
  return hash('sha256', named, 'binary').slice(0, loginDigestBytes);
}

/** The digest by which a login knows its current token: 16 bytes, one character a byte (latin1). */
export function refreshDigest(programme: ProgrammeId, text: string): string {
  const named = `jetway refresh ${programme} ${text}`;
  return hash('sha256', named, 'binary').slice(0, refreshDigestBytes);
}

/** The first three bytes of a login digest, as member access tokens carry them. */
export function loginTagOf(digest: string): number {
  return (digest.charCodeAt(0) << 16) | (digest.charCodeAt(1) << 8) | digest.charCodeAt(2);
}

/** 12 random bytes, one character a byte (latin1). */
export function newNonce(): string {
  return randomBinary(nonceBytes);
}

/**
 * The token of the next generation: the same for the same key, nonce and presented token, so that a
 * retry is answered as the lost answer was. Undefined after the last generation.
 */
export function successorOf(
  next: SealingKey['next'],
  nonce: string,
  { text, place, generation }: RefreshText,
): string | undefined {
  if (generation === lastGeneration) return undefined;
  const secret = next(nonce, text).slice(0, secretLength);
  return headOf(place, generation + 1) + text.slice(loginSecretAt, secretAt) + secret;
}

/** The characters before the login secret. */
function headOf(place: Place, generation: number): string {
  bytes[0] = version;
  writePlace(bytes, place, 1);
  bytes.writeUInt32BE(generation, generationAt);
  return `r${bytes.toString('base64url', 0, headBytes)}`;
}

/** Characters of base64url for whole groups of three bytes. */
function charactersOf(count: number): number {
  return (count / 3) * 4;
}
