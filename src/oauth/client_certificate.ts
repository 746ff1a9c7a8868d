// Owns the certificates and public keys with which clients authenticate (RFC 8705, RFC 7523): as a client
// shows a certificate, and what is registered.

import { hash, type X509Certificate } from 'node:crypto';

import { type Instant, instant } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import { plainAddress } from '../lib/ip_address.ts';

/** A certificate that stands for its client by itself (RFC 8705 2.2). */
export interface ClientCertificate {
  /** Base64url SHA-256 of the DER. */
  readonly thumbprint: Digest;
  readonly expiresAt: Instant;
}

/** A certificate that was shown in a handshake, whose sender has its key. */
export interface PresentedCertificate extends ClientCertificate {
  /** Subject and alternative names in the form of `readName`; none unless an authority vouches. */
  readonly names: readonly string[];
}

/** What a dialect takes of a shown certificate; without a thumbprint, names alone. */
export type CertificateClaim = Omit<PresentedCertificate, 'thumbprint'> &
  Partial<ClientCertificate>;

export function readCertificate(certificate: X509Certificate): ClientCertificate {
  return {
    thumbprint: hash('sha256', certificate.raw, 'base64url') as Digest,
    expiresAt: instant(certificate.validToDate.getTime()),
  };
}

/** The subject and the alternative names of RFC 8705 2.1.2. */
export function namesOf({ subject, subjectAltName = '' }: X509Certificate): readonly string[] {
  // Node writes an attribute in each line, the first of the certificate first; a line break in a value
  // is escaped. RFC 4514 begins with the last one.
  const lines = (subject ?? '').split('\n').map((line) => line.replaceAll(' + ', '+'));
  const others = [...subjectAltName.matchAll(alternatives)].map(([, type = '', value = '']) =>
    readName(`${types.get(type) ?? type}:${value}`),
  );
  return [lines.toReversed().join(','), ...others].filter((name) => name !== undefined);
}

/** Node quotes a value with a comma or quotation mark; no such value can be registered. */
const alternatives = /(?:^|, )(DNS|URI|IP Address|email):([^,"]+)(?=, |$)/g;

const types: ReadonlyMap<string, string> = new Map([
  ['DNS', 'dns'],
  ['URI', 'uri'],
  ['IP Address', 'ip'],
  ['email', 'email'],
]);

/**
 * A name of a certificate, in the one spelling that names are compared in: `dns:`, `uri:`, `ip:` or
 * `email:` and an alternative name, or a distinguished name as in RFC 4514. Undefined for any other text.
 */
export function readName(text: string): string | undefined {
  const [, type = '', value = ''] = /^(dns|uri|ip|email):(\S+)$/.exec(text) ?? [];
  if (type === 'dns') return `dns:${value.toLowerCase()}`;
  if (type === 'ip') {
    const address = plainAddress(value);
    return address && `ip:${address}`;
  }
  if (type !== '') return text;
  // Spaces around the comma between two attributes are no part of the name.
  const name = decodeHex(text.trim().replace(/^subject= ?/, ''))
    ?.replaceAll(/(?<!\\) *([,+]) */g, '$1')
    .replaceAll(
      /(?<=^|(?<!\\)[,+])[A-Za-z]+(?==)/g,
      (one) => attributeNames.get(one.toUpperCase()) ?? one,
    );
  return name !== undefined && distinguishedName.test(name) ? name : undefined;
}

/** No value is in quotes, as older forms have them, and no semicolon separates: a shown name has neither. */
const distinguishedName = /^(?:[A-Za-z][\w.-]*|\d+(?:\.\d+)+)=(?:[^\\";]|\\[^])+$/;

/** Bytes of UTF-8 as openssl writes them (RFC 4514 2.4); undefined where they are none. */
function decodeHex(text: string): string | undefined {
  try {
    return text.replaceAll(/(?:\\[89A-Fa-f][0-9A-Fa-f])+/g, (bytes) =>
      decodeURIComponent(bytes.replaceAll('\\', '%')),
    );
  } catch {
    return undefined;
  }
}

/** Attributes as node writes them; Windows and Java write some of them differently. */
const attributeNames: ReadonlyMap<string, string> = new Map([
  ...'CN OU O C L ST DC UID street emailAddress serialNumber'
    .split(' ')
    .map((name) => [name.toUpperCase(), name] as const),
  ['E', 'emailAddress'],
  ['S', 'ST'],
]);

/** What assertions may be signed with: whoever could check a signature of any other could make it. */
export const assertionAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
export type AssertionAlgorithm = (typeof assertionAlgorithms)[number];

export interface ClientKey {
  /** Base64url SHA-256 of the key's own members (RFC 7638). */
  readonly thumbprint: Digest;
  readonly kid?: string;
  /** The one algorithm that it signs by, where its owner says so. */
  readonly algorithm?: AssertionAlgorithm;
  /** The members of RFC 7518 that make the key. */
  readonly jwk: Readonly<Record<string, string>>;
}

/** A client's keys, or the address where it publishes them. */
export type ClientKeys = { readonly keys: readonly ClientKey[] } | { readonly url: string };

/** Why no key set can have an address, as the end of a sentence; undefined where one can. */
export function keySetUrlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:') return 'must be a file or an https address';
  if (url.username + url.password !== '') return 'must hold no credentials';
  return text.length > 2000 ? 'is longer than 2000 characters' : undefined;
}
