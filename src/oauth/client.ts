// Owns the vocabulary of clients, a partner's registration with one programme, and of the gateways that ask about
// their tokens.

import type { Instant, Milliseconds } from '../lib/clock.ts';
import { type Digest, digest } from '../lib/digest.ts';
import type { ClientCertificate, ClientKeys } from './client_certificate.ts';

/** A programme's name in stores, commands and paths: its file's name without `.yaml`. */
export type ProgrammeId = string & { readonly __brand: 'ProgrammeId' };

/** Bytes of the longest client identifier: URLs and tokens hold it. */
export const longestIdentifier = 255;

/** Characters of the longest origin of a client's pages. */
export const longestOrigin = 300;

/** A client identifier as it is sent on the wire, unique within its programme. */
export type ClientId = string & { readonly __brand: 'ClientId' };

/** What a client may do: log members in (`member`), ask for tokens of its own (`partner`). */
export const roles = ['member', 'partner'] as const;
export type Role = (typeof roles)[number];

/** A secret or API key as the store keeps it: its keyed digest and the time it was made. */
export interface StoredSecret {
  readonly digest: Digest;
  readonly createdAt: Instant;
  /** Refused from this time on; absent while it has no end. */
  readonly expiresAt?: Instant;
}

/** A secret that signs redirects and requests. It is no client secret: nothing is let in by it as it is. */
export interface SigningSecret extends StoredSecret {
  readonly sealed: string;
}

/** Under which the last use of a public client is kept, as that of a secret is. */
export function publicUse(id: ClientId): Digest {
  return digest(id);
}

/** A limit on how many token requests a client may make in a window of time. */
export interface ThrottleLimit {
  readonly limit: number;
  readonly window: number;
}

/** What a client has left of its limit, after a request that was counted or refused. */
export interface Budget {
  readonly limit: ThrottleLimit;
  readonly remaining: number;
  readonly at: Instant;
  /** Time from `at` until the window ends. */
  readonly resetAfter: Milliseconds;
}

/** A partner's registration with one programme (OAuth's client, C-5). */
export interface Client {
  readonly programme: ProgrammeId;
  readonly id: ClientId;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly redirectUris: readonly string[];
  /** Of the pages that may read its answers (CORS); of a public client alone. */
  readonly origins?: readonly string[];
  /** One, or two during a rotation; none where certificates or keys take their place. */
  readonly secrets: readonly StoredSecret[];
  /** One, or two during a rotation; with these it authenticates where a dialect takes them. */
  readonly certificates?: readonly ClientCertificate[];
  /** An app on its users' machines, which cannot keep a secret and has none (RFC 6749 2.1). */
  readonly isPublic?: true;
  /** A name in certificates that an authority vouches for, in the form of `readName`. */
  readonly certificateSubject?: string;
  /** Public keys; with assertions that they sign it authenticates where a dialect takes them. */
  readonly assertionKeys?: ClientKeys;
  /** One, or two during a rotation. */
  readonly signingSecrets?: readonly SigningSecret[];
  readonly apiKeys: readonly StoredSecret[];
  readonly businessContext?: string;
  readonly partnerId?: string;
  readonly throttle?: ThrottleLimit;
  /**
   * Constants of this registration, such as an instance URL or a tenant: a dialect may put them into its
   * answers, and hold requests against them. Of several values, answers hold the first.
   */
  readonly properties: Readonly<Record<string, string | readonly string[]>>;
  readonly status: 'active' | 'disabled';
  readonly createdAt: Instant;
}

/** The values of a property, in their order; none where the client does not have it. */
export function propertyValues(properties: Client['properties'], name: string): readonly string[] {
  const held = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (held === undefined) return [];
  return typeof held === 'string' ? [held] : held;
}

/** Longer than any API key that Jetway makes or imports. */
export const longestApiKey = 1024;

/** A gateway's identifier, unique within its programme. */
export type GatewayId = string & { readonly __brand: 'GatewayId' };

/** A gateway's registration with one programme (RFC 7662 2.1). */
export interface Gateway {
  readonly programme: ProgrammeId;
  readonly id: GatewayId;
  readonly name: string;
  /** One, or two during a rotation. */
  readonly secrets: readonly StoredSecret[];
  readonly status: 'active' | 'disabled';
  readonly createdAt: Instant;
}
