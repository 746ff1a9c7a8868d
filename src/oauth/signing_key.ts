// Owns the vocabulary of signing keys, as the store keeps them.

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
  /** From this time it signs, and the key before it only verifies; absent while it has no such time. */
  readonly signsFrom?: Instant;
  /** Set when its successor begins to sign: when the last token that it signed has expired. */
  readonly retiresAt?: Instant;
}
