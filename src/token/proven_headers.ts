// Owns the cache of Authorization headers with right credentials; it holds no header and no secret.

import { BoundedMap } from '../lib/bounded_map.ts';
import { type Digest, digest } from '../lib/digest.ts';
import { randomKey } from '../lib/random.ts';

/** The identifier of a header, and the keyed digest of its right secret. */
export interface Proof {
  readonly id: string;
  readonly digest: Digest;
}

/** A keyed hash of a header's base64 token; useless outside this process. */
export type Fingerprint = string & { readonly __brand: 'Fingerprint' };

/** More than a programme has partners; beyond it, some headers are decoded each time. */
const rememberedHeaders = 4096;
/** 128 bits: too many to guess, and the usual header is still hashed in two blocks. */
const pepperBytes = 16;

/**
 * Caches one programme's headers that proved right: a partner sends the same header each time, and
 * decoding it and its keyed digest were a quarter of the engine's work for a request. One text
 * always holds one secret; the client's record decides each time whether that secret is still
 * valid. The cache keeps fingerprints, under a key that never leaves this object, and stored
 * digests. The key is the base64 token without its scheme: `Basic`, `basic  ` and, in some
 * dialects, no scheme are equal. Programmes do not share a cache: another may read another secret
 * from the same token.
 */
export class ProvenHeaders {
  readonly #pepper = randomKey(pepperBytes);
  readonly #proofs = new BoundedMap<Fingerprint, Proof>(rememberedHeaders);

  fingerprint(token: string): Fingerprint {
    return digest(this.#pepper + token) as string as Fingerprint;
  }

  find(fingerprint: Fingerprint): Proof | undefined {
    return this.#proofs.get(fingerprint);
  }

  /** Call it only for a header that has just proved right. */
  remember(fingerprint: Fingerprint, proof: Proof): void {
    this.#proofs.set(fingerprint, proof);
  }

  forget(fingerprint: Fingerprint): void {
    this.#proofs.delete(fingerprint);
  }
}
