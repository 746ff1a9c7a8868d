// Owns the authentication of a client by whichever credentials it has brought.

import type { Instant } from '../../lib/clock.ts';
import { digest } from '../../lib/digest.ts';
import { networkOf } from '../../lib/ip_address.ts';
import { type Cause, describeDifference, endpointRule, ownCause } from '../../oauth/cause.ts';
import { type Client, type ClientId, publicUse } from '../../oauth/client.ts';
import { Refusal } from '../../oauth/failure.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import type { WireRequest } from '../../oauth/wire_request.ts';
import type { Inputs } from '../../programme/requests/inputs.ts';
import type {
  OwnTokenCredentials,
  PresentedCredentials,
  TokenCredentials,
} from '../../programme/requests/presented_credentials.ts';
import {
  confidentialClient,
  disabledClient,
  tooManySecrets,
  unknownClient,
  unregisteredClient,
  unknownSecret,
} from '../causes/client.ts';
import type { Service } from '../service.ts';
import { proveAssertionOf } from './assertion.ts';
import { proveCertificate } from './certificate.ts';
import type { Authenticated, Proof } from './proof.ts';
import { findHolder, proveSecret } from './secret.ts';
import { proveSignature } from './signature.ts';
import { findTokenHolder, findTokenOwner } from './token.ts';

/**
 * The client of the credentials, and what its proof has found. Unknown client, disabled client and wrong proof cost the same and get
 * the same answer (G-17, HOSTILE 40). The client's record is read each time: a secret that was retired
 * or has expired, and a client that was disabled or removed, are refused at once, like unknown ones.
 *
 * Refuses with `client_authentication_failed`, or with `throttled` where the address has failed too
 * often. The right secret passes even then, also one without an identifier: guessing does not lock a
 * partner out (HOSTILE 42). Only the store decides that, so a restart or another node decides alike.
 * Premise: a secret that alone names its client has 16 characters, unless told otherwise (HOSTILE 82).
 *
 * @param request whose record is told of the client
 */
export async function authenticateClient(
  service: Service,
  credentials: PresentedCredentials,
  now: Instant,
  { record, address }: Pick<WireRequest, 'record' | 'address'>,
): Promise<Authenticated> {
  if (credentials.kind === 'token') return findTokenHolder(service, credentials, now, record);
  if (credentials.kind === 'own_token') return findTokenOwner(service, credentials, now, record);
  const { programme, store } = service;
  const { id } = credentials;
  const finding =
    credentials.kind === 'secret_alone'
      ? findHolder(service, credentials, now)
      : store.find('client', programme.id, credentials.id as ClientId);
  // What is known at once is not waited for.
  const client = finding instanceof Promise ? await finding : finding;
  record.isClaimRegistered = client !== undefined;
  const proving = prove(service, credentials, client, now);
  const proof = proving instanceof Promise ? await proving : proving;
  if (client?.status !== 'active' || proof.digest === undefined) {
    // Made for known identifiers too: they are to cost the same.
    const unknown = unknownCause(service, credentials);
    const known = client?.status === 'active' ? proof.cause : disabledClient;
    const cause = (client && known) ?? unknown;
    const isGrant = credentials.kind === 'assertion' && credentials.use === 'grant';
    const reason = isGrant ? 'invalid_assertion' : 'client_authentication_failed';
    throw await countFailure(service, id, address(), now, { reason, cause });
  }
  record.client = client.id;
  record.isPublicClient = client.isPublic === true;
  store.recordSecretUse(programme.id, client.id, proof.digest, now);
  return { client, assertion: proof.assertion };
}

function unknownCause({ programme }: Service, credentials: PresentedCredentials): Cause {
  const { id } = credentials;
  if (id === undefined) return unknownSecret;
  const isUnnamed = credentials.kind === 'none' && credentials.isUnnamed === true;
  return isUnnamed ? unregisteredClient(id) : unknownClient(programme, id);
}

/**
 * A row for each kind of credentials.
 *
 * @param client of that identifier, disabled or not; an unknown one costs the same (HOSTILE 40)
 */
function prove(
  service: Service,
  credentials: Exclude<PresentedCredentials, TokenCredentials | OwnTokenCredentials>,
  client: Client | undefined,
  now: Instant,
): Proof | Promise<Proof> {
  if (credentials.kind === 'assertion') {
    return proveAssertionOf(service, credentials, client, now);
  }
  if (credentials.kind === 'secret') return proveSecret(service, credentials, client, now);
  if (credentials.kind === 'signature') return proveSignature(service, credentials, client, now);
  if (credentials.kind === 'certificate') return proveCertificate(credentials, client, now);
  if (credentials.kind === 'none') return provePublic(client);
  return proveSecret(service, credentials, client, now);
}

/** RFC 6749 3.2.1. A client that has a secret cannot leave it out. */
function provePublic(client: Client | undefined): Proof {
  return client?.isPublic === true
    ? { digest: publicUse(client.id) }
    : { cause: confidentialClient };
}

/** Counts known and unknown identifiers alike, after the digests that each of them costs. */
async function countFailure(
  { programme, store }: Service,
  id: string | undefined,
  address: string,
  now: Instant,
  { reason, cause }: { readonly reason: FailureReason; readonly cause: Cause },
): Promise<Refusal> {
  const limit = programme.clients.failureLimit;
  if (limit === undefined) return new Refusal(reason, { cause });
  const key = failureKey(address, id);
  const { allowed, retryAfter } = await store.count('failed_secret', programme.id, key, limit, now);
  return allowed
    ? new Refusal(reason, { cause })
    : new Refusal('throttled', {
        retryAfter: retryAfter / 1000,
        cause: tooManySecrets(limit, cause),
      });
}

/**
 * Strangers make up any number of identifiers. They share 64 counts of an address, which registered
 * ones share too: otherwise the counts would tell the two apart (HOSTILE 40, 83).
 */
function failureKey(address: string, id: string | undefined): string {
  const network = networkOf(address);
  return id === undefined ? network : `${network} ${digest(id).charAt(0)}`;
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
