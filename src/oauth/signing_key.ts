// Owns the vocabulary of signing keys and token keys, as the store keeps them.

import type { Instant, Milliseconds } from '../lib/clock.ts';
import type { ProgrammeId } from './client.ts';

export const signingAlgorithms = ['ES256', 'EdDSA', 'RS256'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/**
 * The kinds of keys that sign JWTs, whose public halves are published, as the store names them. Those of the
 * kind `identity_key` sign identity tokens and nothing else.
 */
export type SigningKind = 'signing_key' | 'identity_key';

/** When a key signs. When its last token expires follows from it and the next key (token/key_line.ts). */
interface KeyTimes {
  readonly createdAt: Instant;
  /** From this time it signs, and the key before it only verifies; absent while it has no such time. */
  readonly signsFrom?: Instant;
  /**
   * The longest time after an answer for which a server that may sign with the key has needed it: raised
   * where a longer lifetime is taken up, never lowered. Absent until a server has taken the key up.
   */
  readonly longestToken?: Milliseconds;
  /**
   * A mark on the line: no server signs with the key since then, and no other key of its algorithm
   * follows it. The programme signs with another algorithm, or no longer.
   */
  readonly signedUntil?: Instant;
  /** Only read: earlier versions stored when the last token of the key expires. */
  readonly retiresAt?: Instant;
}

/**
 * A programme's key for JWTs as the store keeps it, those of identity tokens alone too: the private half is
 * sealed under the master key.
 */
export interface SigningKeyRecord extends KeyTimes {
  readonly programme: ProgrammeId;
  /** RFC 7638 thumbprint of the public key. */
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  /** Public JWK, as JSON. */
  readonly publicJwk: string;
  /** Private JWK, sealed. */
  readonly sealedPrivateJwk: string;
}

/** A programme's secret key for opaque tokens as the store keeps it; nothing of it is published. */
export interface TokenKeyRecord extends KeyTimes {
  readonly programme: ProgrammeId;
  /** Its number, 0 to 255, in decimal digits. Given to another key once this one is removed. */
  readonly kid: string;
  /** Absent: it is here because commands read keys of both kinds alike. */
  readonly algorithm?: undefined;
  /** 32 random bytes in base64url, sealed under the master key. */
  readonly sealedKey: string;
  readonly signsFrom: Instant;
  readonly longestToken: Milliseconds;
  /**
   * Set by a forced retirement: no token of the key is valid. The record stays until it retires, since
   * retries of refreshes that it answered need it.
   */
  readonly ended?: true;
}

export type KeyRecord = SigningKeyRecord | TokenKeyRecord;
