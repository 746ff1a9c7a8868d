// Owns the authentication of clients and gateways by identifier and secret, and of clients by
// certificate and API key.

import type { Instant } from '../lib/clock.ts';
import { type Digest, digest, sameDigest } from '../lib/digest.ts';
import { networkOf } from '../lib/ip_address.ts';
import { type Cause, describeDifference, endpointRule, ownCause } from '../oauth/cause.ts';
import type { Client, ClientId, StoredSecret } from '../oauth/client.ts';
import type { CertificateClaim } from '../oauth/client_certificate.ts';
import { Refusal } from '../oauth/failure.ts';
import type { Gateway, GatewayId } from '../oauth/gateway.ts';
import type { WireRequest } from '../oauth/wire_request.ts';
import type { Inputs } from '../programme/requests/input_rules.ts';
import type { PresentedCredentials } from '../token/proven_headers.ts';
import {
  disabledClient,
  endedSecret,
  tooManySecrets,
  unknownClient,
  wrongCertificate,
  wrongSecret,
} from './causes/client.ts';
import type { Service } from './service.ts';

/** Compared with the secret of an unknown client; no text has this digest. */
const unmatchableSecrets: readonly StoredSecret[] = [
  { digest: 'A'.repeat(43) as Digest, createdAt: 0 as Instant },
];

/**
 * The client of the credentials. Unknown client, disabled client and wrong secret cost the same and
 * get the same answer (G-17, HOSTILE 40): the digest is made and compared in each case. It is skipped
 * for a remembered header alone, which its sender knows to be right. The client's record is read each
 * time: a secret that was retired or has expired, and a client that was disabled or removed, are
 * refused at once, like unknown ones.
 *
 * Refuses with `client_authentication_failed`, or with `throttled` where the address has failed for
 * this identifier too often. The right secret passes even then: guessing does not lock a partner out
 * (HOSTILE 42).
 *
 * @param request whose record is told of the client
 */
export async function authenticateClient(
  service: Service,
  credentials: PresentedCredentials,
  now: Instant,
  { record, address }: Pick<WireRequest, 'record' | 'address'>,
): Promise<Client> {
  const { programme, store } = service;
  const client = await store.find('client', programme.id, credentials.id as ClientId);
  record.isClaimRegistered = client !== undefined;
  const isActive = client?.status === 'active';
  const { certificate } = credentials;
  const known = isActive ? provenSecret(credentials, client.secrets, now) : undefined;
  const found =
    certificate === undefined && known === undefined
      ? firstMatch(service, credentials, client?.secrets ?? unmatchableSecrets, now)
      : noMatch;
  const proof =
    certificate === undefined ? (known ?? found.live) : certificateProof(certificate, client, now);
  if (!isActive || proof === undefined) {
    forget(service, credentials);
    service.uses.fail(client?.id, now);
    const cause = clientCause(service, credentials, client, found.ended, now);
    throw await countFailure(service, credentials.id, address(), now, cause);
  }
  record.client = client.id;
  remember(service, credentials, client.id, proof);
  store.recordSecretUse(programme.id, client.id, proof.digest, now);
  return client;
}

/**
 * The registered thumbprint (RFC 8705 2.2), or the digest of the registered name (2.1), that the
 * certificate has. A certificate that ends during a connection proves nothing any more.
 */
function certificateProof(
  { thumbprint, names, expiresAt }: CertificateClaim,
  client: Client | undefined,
  now: Instant,
): Pick<StoredSecret, 'digest'> | undefined {
  if (client === undefined || now >= expiresAt) return undefined;
  const { certificates = [], certificateSubject: subject } = client;
  const own = certificates.find((one) => one.thumbprint === thumbprint);
  if (own !== undefined) return { digest: own.thumbprint };
  return subject !== undefined && names.includes(subject) ? { digest: digest(subject) } : undefined;
}

/** Makes the same texts for known and unknown identifiers: they are to cost the same. */
function clientCause(
  { programme }: Service,
  { id, secrets, certificate }: PresentedCredentials,
  client: Client | undefined,
  ended: StoredSecret | undefined,
  now: Instant,
): Cause {
  const wrong = wrongSecret(client?.secrets ?? unmatchableSecrets, secrets(), now);
  const unknown = unknownClient(programme, id);
  if (client === undefined) return unknown;
  if (client.status !== 'active') return disabledClient;
  if (certificate !== undefined) return wrongCertificate(certificate, now);
  return ended === undefined ? wrong : endedSecret(ended);
}

/** Counts known and unknown identifiers alike, after the digests that each of them costs. */
async function countFailure(
  { programme, store }: Service,
  id: string,
  address: string,
  now: Instant,
  cause: Cause,
): Promise<Refusal> {
  const limit = programme.clients.failureLimit;
  if (limit === undefined) return new Refusal('client_authentication_failed', { cause });
  // A digest: strangers make identifiers as long as they like.
  const key = digest(`${networkOf(address)} ${id}`);
  const { allowed, retryAfter } = await store.count('failed_secret', programme.id, key, limit, now);
  return allowed
    ? new Refusal('client_authentication_failed', { cause })
    : new Refusal('throttled', {
        retryAfter: retryAfter / 1000,
        cause: tooManySecrets(limit, cause),
      });
}

/** A client_id beside the credentials must be the same identifier. */
export function expectNamed(inputs: Inputs, id: string): void {
  const named = inputs.get('client_id');
  if (named !== undefined && named !== id) {
    const came = describeDifference(named, id);
    const cause = ownCause(endpointRule(), 'client_id: the client of the credentials', came);
    throw new Refusal('client_mismatch', { parameter: 'client_id', cause });
  }
}

/** Whether the credentials hold a live secret of a gateway that is active and that they name. */
export function holdsSecret(
  service: Service,
  credentials: PresentedCredentials,
  { id, secrets }: Pick<Gateway, 'id' | 'secrets'>,
  now: Instant,
): boolean {
  const secret =
    provenSecret(credentials, secrets, now) ?? firstMatch(service, credentials, secrets, now).live;
  if (secret !== undefined) remember(service, credentials, id, secret);
  return secret !== undefined;
}

/**
 * Takes the record's identifier. The credentials' equal one is a slice of the decoded header: it
 * would keep the whole text in memory, with the secret.
 */
function remember(
  { provenHeaders }: Service,
  { header }: PresentedCredentials,
  id: ClientId | GatewayId,
  { digest: proven }: Pick<StoredSecret, 'digest'>,
): void {
  if (header === undefined || header.proven === proven) return;
  provenHeaders.remember(header.fingerprint, { id, digest: proven });
}

function forget({ provenHeaders }: Service, { header }: PresentedCredentials): void {
  if (header?.proven !== undefined) provenHeaders.forget(header.fingerprint);
}

/** Whether a digest is that of one of the client's live keys; records its use. */
export function isLiveKey(
  { programme, store }: Service,
  client: Client,
  presented: Digest,
  keys: readonly StoredSecret[],
  now: Instant,
): boolean {
  const key = liveMatch(presented, keys, now);
  if (key !== undefined) store.recordSecretUse(programme.id, client.id, key.digest, now);
  return key !== undefined;
}

/** The live secret that a header proved before; undefined for any other header. */
function provenSecret(
  { header }: PresentedCredentials,
  secrets: readonly StoredSecret[],
  now: Instant,
): StoredSecret | undefined {
  return header?.proven === undefined ? undefined : liveMatch(header.proven, secrets, now);
}

interface Match {
  readonly live?: StoredSecret;
  /** Matched as well, but has ended. */
  readonly ended?: StoredSecret | undefined;
}

const noMatch: Match = {};

/** The live secret that a reading of the credentials matches, the first reading first. */
function firstMatch(
  { keyring }: Service,
  credentials: PresentedCredentials,
  secrets: readonly StoredSecret[],
  now: Instant,
): Match {
  let ended: StoredSecret | undefined;
  for (const text of credentials.secrets()) {
    const digested = keyring.secretDigest(text);
    const live = liveMatch(digested, secrets, now);
    if (live !== undefined) return { live };
    ended ??= liveMatch(digested, secrets, 0 as Instant);
  }
  return { ended };
}

/** The live secret of a digest; takes as long whichever matches. */
function liveMatch(
  presented: Digest,
  secrets: readonly StoredSecret[],
  now: Instant,
): StoredSecret | undefined {
  let match: StoredSecret | undefined;
  for (const secret of secrets) {
    const isLive = secret.expiresAt === undefined || now < secret.expiresAt;
    if (sameDigest(secret.digest, presented) && isLive) match = secret;
  }
  return match;
}
