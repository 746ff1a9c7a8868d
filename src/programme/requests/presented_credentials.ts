// Owns what a client has brought to authenticate with, before it is held against a registration: one
// shape for each kind of proof.

import type { Digest } from '../../lib/digest.ts';
import type { CertificateClaim } from '../../oauth/client_certificate.ts';
import type { GrantType } from '../../oauth/grant.ts';
import type { Assertion, AssertionUse } from '../../token/assertions/assertion.ts';
import type { Fingerprint } from '../../token/proven_headers.ts';

/** A new kind needs a row in `prove` (engine/authentication/client.ts). */
export type PresentedCredentials =
  | SecretCredentials
  | LoneSecret
  | CertificateCredentials
  | AssertionCredentials
  | PublicCredentials
  | TokenCredentials;

export interface SecretCredentials {
  readonly kind: 'secret';
  readonly id: string;
  /** The possible readings of the secret; a cached header is decoded only by this call. */
  readonly secrets: () => readonly string[];
  /** The header's fingerprint and, if it is cached, the digest it proved. */
  readonly header?: { readonly fingerprint: Fingerprint; readonly proven?: Digest };
}

/** A secret without an identifier, by which the client is found. */
export interface LoneSecret {
  readonly kind: 'secret_alone';
  readonly id?: never;
  /** The possible readings of the secret. */
  readonly secrets: () => readonly string[];
}

/** RFC 8705: what the dialect takes of a certificate. */
export interface CertificateCredentials {
  readonly kind: 'certificate';
  readonly id: string;
  readonly certificate: CertificateClaim;
}

/** The identifier of a client that claims to be public (RFC 6749 3.2.1). */
export interface PublicCredentials {
  readonly kind: 'none';
  readonly id: string;
}

/** A token of an earlier answer, which names its client and is all that proves it. */
export interface TokenCredentials {
  readonly kind: 'token';
  readonly id?: never;
  /** The only grant that it proves anything for. */
  readonly grant: GrantType;
  readonly token: string;
}

/** RFC 7523: a JWT of which nothing is proved, not even the identifier. */
export interface AssertionCredentials {
  readonly kind: 'assertion';
  readonly id: string;
  readonly assertion: Assertion;
  readonly use: AssertionUse;
}
