// Owns the authentication of clients: whether identifier and secret belong to an active client.

import type { Instant } from '../lib/clock.ts';
import { type Digest, sameDigest } from '../lib/digest.ts';
import type { ClientCredentials } from '../oauth/basic.ts';
import type { Client, ClientId, StoredSecret } from '../oauth/client.ts';
import { Refusal } from '../oauth/failure.ts';
import type { Keyring } from '../token/keyring.ts';
import type { Service } from './service.ts';

/** What an unknown client's secret is compared with; no text has this digest. */
const nobody: readonly StoredSecret[] = [
  { digest: 'A'.repeat(43) as Digest, createdAt: 0 as Instant },
];

/**
 * The client that the credentials are those of. Unknown client, disabled client and wrong secret
 * cost the same and are told the same (G-17, HOSTILE 40): the digest is made and compared in each
 * case. Refuses with `client_authentication_failed`.
 */
export async function authenticateClient(
  service: Service,
  credentials: ClientCredentials,
  now: Instant,
): Promise<Client> {
  const { programme, store, keyring } = service;
  const client = await store.findClient(programme.id, credentials.id as ClientId);
  const matches = credentials.secrets.some((secret) =>
    isLiveSecret(keyring, secret, client?.secrets ?? nobody, now),
  );
  if (client === undefined || !matches || client.status !== 'active') {
    throw new Refusal('client_authentication_failed');
  }
  return client;
}

/** Whether a text is one of the secrets that are good now; takes as long whichever it is. */
export function isLiveSecret(
  keyring: Keyring,
  text: string,
  secrets: readonly StoredSecret[],
  now: Instant,
): boolean {
  const presented = keyring.secretDigest(text);
  let matches = false;
  for (const secret of secrets) {
    const live = secret.expiresAt === undefined || now < secret.expiresAt;
    matches = (sameDigest(secret.digest, presented) && live) || matches;
  }
  return matches;
}
