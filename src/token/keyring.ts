// Owns the keys derived from the master key, one for each purpose.

import { type Digest, keyedDigest, keyedDigester } from '../lib/digest.ts';
import { deriveKey } from '../lib/seal.ts';

/** The store holds none of these keys. */
export interface Keyring {
  /** HMAC-SHA256 of a client secret or API key, the form that is stored (DESIGN, "Semantics"). */
  readonly secretDigest: (secret: string) => Digest;
  /** Seals stored private signing keys. */
  readonly signingKeySeal: Uint8Array;
  /** Seals stored token keys. */
  readonly tokenKeySeal: Uint8Array;
  /** Seals signing secrets of clients. */
  readonly signingSecretSeal: Uint8Array;
  /** Seals login transactions, which browsers keep. */
  readonly transactionSeal: Uint8Array;
  /** The key of a username's counters: the store alone does not reveal a locked member's name. */
  readonly accountDigest: (account: string) => Digest;
  /** Names the member of a JWT whose `sub` is another text. Keyed, so that readers of the token cannot try subjects. */
  readonly ownerDigest: (subject: string) => Digest;
  /** Seals the cookie of a browser in which a member has logged in before. */
  readonly deviceSeal: Uint8Array;
  /** Binds a login form to its browser. */
  readonly formKey: Uint8Array;
  /** Makes the marks of the audit stream's lines. */
  readonly auditChain: Uint8Array;
  /** Makes the digests that stand in the audit stream for members. */
  readonly auditIdentifiers: Uint8Array;
  /** Identifies the master key. */
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
    tokenKeySeal: deriveKey(masterKey, 'jetway token keys'),
    signingSecretSeal: deriveKey(masterKey, 'jetway signing secrets'),
    transactionSeal: deriveKey(masterKey, 'jetway login transactions'),
    accountDigest: keyedDigester(deriveKey(masterKey, 'jetway login accounts')),
    ownerDigest: keyedDigester(deriveKey(masterKey, 'jetway token owners')),
    deviceSeal: deriveKey(masterKey, 'jetway known devices'),
    formKey: deriveKey(masterKey, 'jetway login forms'),
    auditChain: deriveKey(masterKey, 'jetway audit chain'),
    auditIdentifiers: deriveKey(masterKey, 'jetway audit identifiers'),
    keyCheck: keyedDigest(deriveKey(masterKey, 'jetway key check'), 'jetway'),
  };
}
