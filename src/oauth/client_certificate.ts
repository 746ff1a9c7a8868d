// Owns the certificates with which clients authenticate (RFC 8705): as a client shows one, and what is
// registered of it.

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
  // A space after the comma between two attributes is no part of the name.
  const name = text.trim().replaceAll(/(?<!\\)([,+]) +/g, '$1');
  return /^[A-Za-z][\w.-]*=[^]+$|^\d+(?:\.\d+)+=[^]+$/.test(name) ? name : undefined;
}
