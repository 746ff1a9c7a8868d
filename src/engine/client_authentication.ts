// Owns the authentication of clients: whether identifier and secret belong to an active client.

import type { Instant } from '../lib/clock.ts';
import { type Digest, digest, sameDigest } from '../lib/digest.ts';
import { networkOf } from '../lib/ip_address.ts';
import type { Client, ClientId, StoredSecret } from '../oauth/client.ts';
import { Refusal } from '../oauth/failure.ts';
import type { Gateway, GatewayId } from '../oauth/gateway.ts';
import type { PresentedCredentials } from '../token/proven_headers.ts';
import type { Service } from './service.ts';

/** What an unknown client's secret is compared with; no text has this digest. */
const nobody: readonly StoredSecret[] = [
  { digest: 'A'.repeat(43) as Digest, createdAt: 0 as Instant },
];

/**
 * The client that the credentials are those of. Unknown client, disabled client and wrong secret
 * cost the same and are told the same (G-17, HOSTILE 40): the digest is made and compared in each
 * case. Only a header that was let in before, and is to be again, is spared the digest: that it is
 * answered sooner is no news to who holds the right secret, and no other header is remembered. The
 * client's record is read each time, so that a secret retired or expired and a client disabled or
 * removed are refused at once, in the way of those never known.
 *
 * Refuses with `client_authentication_failed`, or with `throttled` where the address has failed for
 * this identifier too often; the right secret is let in even then, so that nobody can lock a partner
 * out by guessing (HOSTILE 42).
 *
 * @param address tells the caller's address, when it is needed
 */
export async function authenticateClient(
  service: Service,
  credentials: PresentedCredentials,
  now: Instant,
  address: () => string,
): Promise<Client> {
  const { programme, store } = service;
  const client = await store.findClient(programme.id, credentials.id as ClientId);
  const isActive = client?.status === 'active';
  const secret =
    (isActive ? provenSecret(credentials, client.secrets, now) : undefined) ??
    firstMatch(service, credentials, client?.secrets ?? nobody, now);
  if (!isActive || secret === undefined) {
    forget(service, credentials);
    throw await countFailure(service, credentials.id, address(), now);
  }
  remember(service, credentials, client.id, secret);
  store.recordSecretUse(programme.id, client.id, secret.digest, now);
  return client;
}

/** Known and unknown identifiers are counted alike, and only after all that each of them costs. */
async function countFailure(
  { programme, store }: Service,
  id: string,
  address: string,
  now: Instant,
): Promise<Refusal> {
  const limit = programme.clients.failureLimit;
  if (limit === undefined) return new Refusal('client_authentication_failed');
  // A digest: strangers make identifiers as long as they like.
  const key = digest(`${networkOf(address)} ${id}`);
  const { allowed, retryAfter } = await store.count('failed_secret', programme.id, key, limit, now);
  return allowed
    ? new Refusal('client_authentication_failed')
    : new Refusal('throttled', { retryAfter: retryAfter / 1000 });
}

/** Whether the credentials hold a secret good now of somebody active, whose identifier they name. */
export function holdsSecret(
  service: Service,
  credentials: PresentedCredentials,
  { id, secrets }: Pick<Gateway, 'id' | 'secrets'>,
  now: Instant,
): boolean {
  const secret =
    provenSecret(credentials, secrets, now) ?? firstMatch(service, credentials, secrets, now);
  if (secret !== undefined) remember(service, credentials, id, secret);
  return secret !== undefined;
}

/**
 * The identifier is that of the record, although the credentials have the same: theirs is a slice
 * of what was decoded, and would keep all of it in memory, with the secret.
 */
function remember(
  { provenHeaders }: Service,
  { header }: PresentedCredentials,
  id: ClientId | GatewayId,
  { digest: proven }: StoredSecret,
): void {
  if (header === undefined || header.proven === proven) return;
  provenHeaders.remember(header.fingerprint, { id, digest: proven });
}

function forget({ provenHeaders }: Service, { header }: PresentedCredentials): void {
  if (header?.proven !== undefined) provenHeaders.forget(header.fingerprint);
}

/** Whether a text is one of a client's keys that are good now; remembers that it was used. */
export function isLiveKey(
  { programme, store, keyring }: Service,
  client: Client,
  text: string,
  keys: readonly StoredSecret[],
  now: Instant,
): boolean {
  const key = liveMatch(keyring.secretDigest(text), keys, now);
  if (key !== undefined) store.recordSecretUse(programme.id, client.id, key.digest, now);
  return key !== undefined;
}

/** Whether the API key of that digest is one of the client's that are good now; remembers its use. */
export function findLiveKey(
  { programme, store }: Service,
  client: Client,
  presented: Digest,
  now: Instant,
): boolean {
  const key = client.apiKeys.find((one) => sameDigest(one.digest, presented) && isLive(one, now));
  if (key !== undefined) store.recordSecretUse(programme.id, client.id, key.digest, now);
  return key !== undefined;
}

function isLive({ expiresAt }: StoredSecret, now: Instant): boolean {
  return expiresAt === undefined || now < expiresAt;
}

/** The one of the secrets good now that a header proved before; undefined for any other header. */
function provenSecret(
  { header }: PresentedCredentials,
  secrets: readonly StoredSecret[],
  now: Instant,
): StoredSecret | undefined {
  return header?.proven === undefined ? undefined : liveMatch(header.proven, secrets, now);
}

/** The secret that the first reading to match one matches. */
function firstMatch(
  { keyring }: Service,
  credentials: PresentedCredentials,
  secrets: readonly StoredSecret[],
  now: Instant,
): StoredSecret | undefined {
  for (const text of credentials.secrets()) {
    const match = liveMatch(keyring.secretDigest(text), secrets, now);
    if (match !== undefined) return match;
  }
  return undefined;
}

/** The one of the secrets good now that has a digest; takes as long whichever it is. */
function liveMatch(
  presented: Digest,
  secrets: readonly StoredSecret[],
  now: Instant,
): StoredSecret | undefined {
  let match: StoredSecret | undefined;
  for (const secret of secrets) {
    if (sameDigest(secret.digest, presented) && isLive(secret, now)) match = secret;
  }
  return match;
}
