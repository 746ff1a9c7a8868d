// Owns the proof of a client by certificate (RFC 8705).

import type { Instant } from '../../lib/clock.ts';
import { digest } from '../../lib/digest.ts';
import type { Client } from '../../oauth/client.ts';
import type { CertificateCredentials } from '../../programme/requests/presented_credentials.ts';
import { wrongCertificate } from '../causes/client.ts';
import type { Proof } from './proof.ts';

/**
 * The registered thumbprint (RFC 8705 2.2), or the digest of the registered name (2.1), that the
 * certificate has. A certificate that ends during a connection proves nothing any more.
 */
export function proveCertificate(
  { certificate }: CertificateCredentials,
  client: Client | undefined,
  now: Instant,
): Proof {
  const { thumbprint, names, expiresAt } = certificate;
  if (client !== undefined && now < expiresAt) {
    const { certificates = [], certificateSubject: subject } = client;
    const own = certificates.find((one) => one.thumbprint === thumbprint);
    if (own !== undefined) return { digest: own.thumbprint };
    if (subject !== undefined && names.includes(subject)) return { digest: digest(subject) };
  }
  return { cause: wrongCertificate(certificate, client, now) };
}
