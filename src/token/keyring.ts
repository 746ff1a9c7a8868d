// Owns the keys derived from the master key, one per purpose; not where the master key comes from.

import { type Digest, keyedDigest, keyedDigester } from '../lib/digest.ts';
import { deriveKey } from '../lib/seal.ts';

/** Keys by purpose. Who steals the store alone has none of them. */
export interface Keyring {
  /** What a client secret or API key is stored as: HMAC-SHA256 (DESIGN, "Semantics"). */
  readonly secretDigest: (secret: string) => Digest;
  /** Seals private signing keys at rest. */
  readonly signingKeySeal: Uint8Array;
  /** Seals login transactions, which browsers carry. */
  readonly transactionSeal: Uint8Array;
  /** What a username is counted under, so that the store alone names nobody who was locked out. */
  readonly accountDigest: (account: string) => Digest;
  /** Seals the cookie by which a browser is known that logged in before. */
  readonly deviceSeal: Uint8Array;
  /** Ties a login form to the browser it was made for. */
  readonly formKey: Uint8Array;
  /** Tells the master key from another one, and nothing else of it. */
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
