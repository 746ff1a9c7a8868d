// Owns the vocabulary of signing keys and token keys, as the store keeps them.

import type { Instant, Milliseconds } from '../lib/clock.ts';
import type { ProgrammeId } from './client.ts';

export const signingAlgorithms = ['ES256', 'EdDSA', 'RS256'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** A programme's signing key as the store keeps it: the private half is sealed under the master key. */
export interface SigningKeyRecord {
  readonly programme: ProgrammeId;
  /** RFC 7638 thumbprint of the public key. */
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  /** Public JWK, as JSON. */
  readonly publicJwk: string;
  /** Private JWK, sealed. */
  readonly sealedPrivateJwk: string;
  readonly createdAt: Instant;
  /** From this time it signs, and the key before it only verifies; absent while it has no such time. */
  readonly signsFrom?: Instant;
  /** Set when its successor begins to sign: when the last token that it signed has expired. */
  readonly retiresAt?: Instant;
  /** Absent: it is here because plans read keys of both kinds alike. */
  readonly longestToken?: undefined;
}

/** A programme's secret key for opaque tokens as the store keeps it; nothing of it is published. */
export interface TokenKeyRecord {
  readonly programme: ProgrammeId;
  /** Its number, 0 to 255, in decimal digits. Given to another key once this one is removed. */
  readonly kid: string;
  /** Absent: it is here because commands read keys of both kinds alike. */
  readonly algorithm?: undefined;
  /** 32 random bytes in base64url, sealed under the master key. */
  readonly sealedKey: string;
  readonly createdAt: Instant;
  /** From this time it makes tokens, and the key before it only opens them. */
  readonly signsFrom: Instant;
  /** The longest that a server which may make tokens with it has needed it after an answer. */
  readonly longestToken: Milliseconds;
  /** Set when its successor is added: no token of the key is valid from then on. */
  readonly retiresAt?: Instant;
  /**
   * Set by a forced retirement: no token of the key is valid. The record stays until it retires, since
   * retries of refreshes that it answered need it.
   */
  readonly ended?: true;
}

export type KeyRecord = SigningKeyRecord | TokenKeyRecord;
