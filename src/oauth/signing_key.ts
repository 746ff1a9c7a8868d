// Owns the vocabulary of signing keys: what the store keeps of them.

import type { Instant } from '../lib/clock.ts';
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
  /** From here on it signs, and the one before it only verifies; absent until it is told to sign. */
  readonly signsFrom?: Instant;
  /** Set when its successor begins to sign: it may go once no token it signed can live. */
  readonly retiresAt?: Instant;
}
