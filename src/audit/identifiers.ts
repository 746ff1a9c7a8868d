// Owns the keyed digests that stand in the audit stream for what tells of members: the stream alone
// reveals none of them, and whoever has the master key can look for one.

import { type Digest, keyedDigester } from '../lib/digest.ts';

/** A member's subject; a username, normalised; the address of a caller; the place of a login. */
export const identifierKinds = ['member', 'username', 'address', 'login'] as const;
export type IdentifierKind = (typeof identifierKinds)[number];

/** The digest of an identifier, 128 bits in base64url. */
export type Identify = (kind: IdentifierKind, text: string | number) => string;

/** The keys that they are made with (token/keyring.ts). */
interface Keys {
  readonly auditIdentifiers: Uint8Array;
  readonly accountDigest: (username: string) => Digest;
}

export function identifierDigests({ auditIdentifiers, accountDigest }: Keys): Identify {
  const digest = keyedDigester(auditIdentifiers);
  return (kind, text) =>
    kind === 'username'
      ? accountIdentifier(accountDigest(`${text}`))
      : cut(digest(`${kind} ${text}`));
}

/** The digest of a username whose account's digest is made already. */
export function accountIdentifier(account: Digest): string {
  return cut(account);
}

function cut(digest: Digest): string {
  return digest.slice(0, 22);
}
