// Owns the cache of Authorization headers that proved right; it holds no header and no secret.

import { BoundedMap } from '../lib/bounded_map.ts';
import { type Digest, digest } from '../lib/digest.ts';
import { randomKey } from '../lib/random.ts';

/** What a header proved: the identifier, and the keyed digest of the right secret. */
export interface Proof {
  readonly id: string;
  readonly digest: Digest;
}

/** What stands for the base64 token of a header; worth nothing outside this process. */
export type Fingerprint = string & { readonly __brand: 'Fingerprint' };

/** Credentials as a request presents them, right or wrong. */
export interface PresentedCredentials {
  readonly id: string;
  /** The secret in each of its readings; of a header that is known, decoded only now. */
  readonly secrets: () => readonly string[];
  /** Those of a header: what it is remembered by, and what it proved where it is known. */
  readonly header?: { readonly fingerprint: Fingerprint; readonly proven?: Digest };
}

/** More than a programme has partners; of any more, some headers are decoded each time. */
const rememberedHeaders = 4096;
/** 128 bits: as many as nobody tries out, and few enough that the usual header is two blocks. */
const pepperBytes = 16;

/**
 * The headers of one programme that proved right: a partner sends the same one each time, and its
 * decoding and its keyed digest were a quarter of what the engine does for a request. What a header
 * proved stays true, as the same text holds the same secret; whether that secret is still good is
 * for the client's record to say, each time anew. Kept are fingerprints under a key that never
 * leaves this object, and what the store keeps anyway. Headers are told apart by the token that is
 * decoded: `Basic`, `basic  ` and, where a dialect takes it, nothing before it are one. Each
 * programme has headers of its own: another may read another secret out of the same token.
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

  /** Only for a header that has just proved right. */
  remember(fingerprint: Fingerprint, proof: Proof): void {
    this.#proofs.set(fingerprint, proof);
  }

  forget(fingerprint: Fingerprint): void {
    this.#proofs.delete(fingerprint);
  }
}
