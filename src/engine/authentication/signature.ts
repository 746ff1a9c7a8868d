// Owns the proof of a client by a signature that it has made with its signing secret.

import type { Instant } from '../../lib/clock.ts';
import { sameDigest } from '../../lib/digest.ts';
import type { Client } from '../../oauth/client.ts';
import { liveSecrets } from '../../oauth/secret_rotation.ts';
import type { SignatureCredentials } from '../../programme/requests/presented_credentials.ts';
import { decoySigningSecret, openSigningSecret } from '../../token/signing_secrets.ts';
import { wrongSignature } from '../causes/client.ts';
import type { Service } from '../service.ts';
import type { Proof } from './proof.ts';

/**
 * Proves the client by the live signing secret with which the signature was made. An unknown client, and one
 * without such a secret, costs the same: a decoy is opened, signed with and compared (HOSTILE 40).
 */
export function proveSignature(
  { keyring }: Pick<Service, 'keyring'>,
  { signature, signedBy }: SignatureCredentials,
  client: Client | undefined,
  now: Instant,
): Proof {
  const held = liveSecrets(client?.signingSecrets ?? [], now);
  if (client === undefined || held.length === 0) {
    sameDigest(signedBy(decoySigningSecret(keyring)), signature);
    return { cause: wrongSignature(0) };
  }
  let proof: Proof = { cause: wrongSignature(held.length) };
  for (const one of held) {
    // No early end: it takes as long whichever fits.
    if (sameDigest(signedBy(openSigningSecret(keyring, client, one)), signature)) {
      proof = { digest: one.digest };
    }
  }
  return proof;
}
