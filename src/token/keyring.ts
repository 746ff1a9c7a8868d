// Owns the keys derived from the master key, one per purpose; not where the master key comes from.

import { type Digest, keyedDigest, keyedDigester } from '../lib/digest.ts';
import { deriveKey } from '../lib/seal.ts';

/** Keys by purpose. The store holds none of them. */
export interface Keyring {
  /** The stored form of a client secret or API key: HMAC-SHA256 (DESIGN, "Semantics"). */
  readonly secretDigest: (secret: string) => Digest;
  /** Seals private signing keys at rest. */
  readonly signingKeySeal: Uint8Array;
  /** Seals login transactions, which browsers carry. */
  readonly transactionSeal: Uint8Array;
  /** The key of a username's counters: the store alone does not name a locked member. */
  readonly accountDigest: (account: string) => Digest;
  /** Seals the cookie of a browser that has logged in before. */
  readonly deviceSeal: Uint8Array;
  /** Ties a login form to its browser. */
  readonly formKey: Uint8Array;
  /** Tells the master key from another master key. */
  readonly keyCheck: string;
}

export const masterKeyBytes = 32;

export function createKeyring(masterKey: Uint8Array): Keyring {
  if (masterKey.length !== masterKeyBytes) {
    throw new RangeError(`a master key has ${masterKeyBytes} bytes, this one ${masterKey.length}`);
  }
  const secretKey = deriveKey(masterKey, 'jetway client secrets');
  return {
    secretDigest: keyedDigester(secretKey),
    signingKeySeal: deriveKey(masterKey, 'jetway signing keys'),
    transactionSeal: deriveKey(masterKey, 'jetway login transactions'),
    accountDigest: keyedDigester(deriveKey(masterKey, 'jetway login accounts')),
    deviceSeal: deriveKey(masterKey, 'jetway known devices'),
    formKey: deriveKey(masterKey, 'jetway login forms'),
    keyCheck: keyedDigest(deriveKey(masterKey, 'jetway key check'), 'jetway'),
  };
}
