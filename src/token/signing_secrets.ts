// Owns signing secrets as the store keeps them: sealed under the master key, since they have to be used.

import type { Instant } from '../lib/clock.ts';
import { seal, unseal } from '../lib/seal.ts';
import type { Client, SigningSecret } from '../oauth/client.ts';
import type { Keyring } from './keyring.ts';

type Owner = Pick<Client, 'programme' | 'id'>;

/** Sealed with its owner: put into another client's record, it opens no more. */
function contextOf({ programme, id }: Owner): string {
  return `${programme}\n${id}`;
}

export function sealSigningSecret(
  { signingSecretSeal, secretDigest }: Pick<Keyring, 'signingSecretSeal' | 'secretDigest'>,
  owner: Owner,
  text: string,
  createdAt: Instant,
): SigningSecret {
  const sealed = seal(signingSecretSeal, text, contextOf(owner));
  return { digest: secretDigest(text), sealed, createdAt };
}

/**
 * The text of a client's signing secret.
 *
 * @throws Error if it was sealed under another master key, or for another client
 */
export function openSigningSecret(
  { signingSecretSeal }: Pick<Keyring, 'signingSecretSeal'>,
  owner: Owner,
  { sealed }: Pick<SigningSecret, 'sealed'>,
): string {
  const text = unseal(signingSecretSeal, sealed, contextOf(owner));
  if (text !== undefined) return text;
  throw new Error(
    `a signing secret of ${owner.id} of ${owner.programme} was sealed under another master key`,
  );
}

/** As long as what Jetway seals; nothing opens it. */
const decoy = 'A'.repeat(95);

/** A text that no client has; takes as long to come by as a secret that is sealed. */
export function decoySigningSecret({
  signingSecretSeal,
}: Pick<Keyring, 'signingSecretSeal'>): string {
  return unseal(signingSecretSeal, decoy, 'nobody') ?? decoy;
}
