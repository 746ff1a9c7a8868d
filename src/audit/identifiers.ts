// Owns the keyed digests that stand in the audit stream for what tells of members: the stream alone
// reveals none of them, and whoever has the master key can look for one.

import { BoundedMap } from '../lib/bounded_map.ts';
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

/** As many as a store holds logins: members and logins that are in use come again. Some 5 MB when full. */
const mostKnown = 20_000;

export function identifierDigests({ auditIdentifiers, accountDigest }: Keys): Identify {
  const digest = keyedDigester(auditIdentifiers);
  const known = new BoundedMap<string, string>(mostKnown);
  return (kind, text) => {
    if (kind === 'username') return accountIdentifier(accountDigest(`${text}`));
    const name = `${kind} ${text}`;
    // Strangers have any number of addresses.
    if (kind === 'address') return cut(digest(name));
    const found = known.get(name);
    if (found !== undefined) return found;
    const made = cut(digest(name));
    known.set(name, made);
    return made;
  };
}

/** The digest of a username whose account's digest is made already. */
export function accountIdentifier(account: Digest): string {
  return cut(account);
}

function cut(digest: Digest): string {
  return digest.slice(0, 22);
}
