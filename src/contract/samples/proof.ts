// Owns how a sample request proves its client, by the first method of the dialect that samples have.

import type { ClientAuthentication } from '../../language/client_schema.ts';
import type { RequestSignature } from '../../language/signature_schema.ts';
import { isProperty } from '../../language/tokens/assertion_schema.ts';
import type { CredentialEncoding } from '../../oauth/basic.ts';
import type { Client } from '../../oauth/client.ts';
import type { GrantType } from '../../oauth/grant.ts';
import {
  type AuthenticationMethod,
  isByNothing,
  isBySecret,
  privateKeyJwt,
} from '../../oauth/methods.ts';
import {
  type assertionInputs,
  assertionType,
} from '../../programme/requests/presented_credentials.ts';
import type { AssertionUse } from '../../token/assertions/assertion.ts';

/** A client with its secret and API key in plain text. */
export interface SampleClient {
  readonly client: Client;
  readonly secret: string;
  readonly apiKey?: string;
  /** A fresh assertion of its own, or what stands for one; left out where it has no key. */
  readonly assertion?: (use: AssertionUse) => string;
  /** An access token of its own, or what stands for one. */
  readonly ownToken?: () => string;
  /** Signs the values of inputs by its signing secret, or gives what stands for a signature. */
  readonly sign?: (recipe: RequestSignature, valueOf: (role: string) => string) => string;
}

/** Identifier and secret for the Authorization header; one is empty where the secret goes alone. */
export interface SampleCredentials {
  readonly id: string;
  readonly secret: string;
  /** The word in front; absent where there is none. */
  readonly scheme?: string;
  readonly encoding: CredentialEncoding;
}

/** Values by the engine's names; null leaves an input out that would otherwise be filled. */
export type SampleValues = Readonly<Record<string, string | null | undefined>>;

/** What a client sends to prove itself; its certificate is no part of the request. */
export interface SampleProof {
  readonly credentials?: SampleCredentials;
  /** The client shows a certificate in the TLS handshake instead. */
  readonly certificate?: true;
  readonly inputs: SampleValues;
}

export function sampleProof(
  authentication: ClientAuthentication,
  by: SampleClient,
  grant?: GrantType,
): SampleProof {
  const { secret } = by;
  const { id, isPublic } = by.client;
  const { methods, credentials: encoding, scheme, secret_half: half } = authentication;
  const method = isPublic === true ? publicMethod(authentication, id) : sampleMethod(methods);
  const header = { id, secret, scheme, encoding };
  if (method === 'unnamed') return { inputs: {} };
  if (method === 'basic') return { inputs: {}, credentials: header };
  if (method === 'bare_basic') return { inputs: {}, credentials: { id, secret, encoding } };
  if (method === 'parameters') return { inputs: { client_id: id, client_secret: secret } };
  if (method === 'secret') {
    if (half === undefined) return { inputs: { client_secret: secret } };
    const halves = half === 'first' ? { id: secret, secret: '' } : { id: '', secret };
    return { inputs: {}, credentials: { ...header, ...halves } };
  }
  // Signed once all values are there.
  if (method === 'signature') return { inputs: { client_id: id, client_signature: 'SIGNATURE' } };
  // What the grant needs proves its client.
  if (method === 'token' || (method === 'own_token' && grant === 'token_exchange')) {
    return { inputs: {} };
  }
  if (method === 'own_token') return { inputs: { client_token: by.ownToken?.() ?? 'TOKEN' } };
  // The assertion of the grant proves its client too.
  if (method === privateKeyJwt) {
    // One that speaks of somebody else does not name the client.
    const named = isProperty(authentication.assertion.sub) ? { client_id: id } : {};
    return { inputs: grant === 'jwt_bearer' ? {} : { ...named, ...assertionOf(by) } };
  }
  return { inputs: { client_id: id }, ...(method === 'none' ? {} : { certificate: true }) };
}

/** Whether a public client sends its identifier, or nothing. */
function publicMethod(
  { methods, unnamed_client: standing }: ClientAuthentication,
  id: string,
): AuthenticationMethod {
  const isStanding = methods.includes('unnamed') && id === standing;
  return methods.includes('none') && !isStanding ? 'none' : 'unnamed';
}

/** What a client sends whose assertion is its proof. */
function assertionOf({
  assertion = () => 'ASSERTION',
}: SampleClient): Readonly<Record<(typeof assertionInputs)[number], string>> {
  return { client_assertion_type: assertionType, client_assertion: assertion('client') };
}

/** The method of samples: by a secret where there is one. */
function sampleMethod(methods: readonly AuthenticationMethod[]): AuthenticationMethod | undefined {
  return methods.find(isBySecret) ?? methods[0];
}

/** Whether a client of the dialect can have nothing to prove itself with. */
export function isPublicOnly({ methods }: ClientAuthentication): boolean {
  return methods.every(isByNothing);
}

/** Whether an assertion is the only proof of clients. */
export function isSigning({ methods }: ClientAuthentication): boolean {
  return methods.every((method) => method === privateKeyJwt);
}

/** Whether samples prove their client by a signature. */
export function isBySignature({ methods }: ClientAuthentication): boolean {
  return sampleMethod(methods) === 'signature';
}

/** Whether samples prove their client by an access token of its own. */
export function isByOwnToken({ methods }: ClientAuthentication): boolean {
  return sampleMethod(methods) === 'own_token';
}
