// Owns the signature on requests to an airline's member system (docs/member-directory.md).

import { createHmac } from 'node:crypto';

import { epochSeconds, type Instant } from '../lib/clock.ts';

export type SignatureHeaders = Readonly<Record<string, string>>;

/**
 * `Jetway-Timestamp`, in seconds since the epoch, and `Jetway-Signature`: HMAC-SHA256 over
 * timestamp, a dot and the body, one `v1=` for each live secret, so that both sides can change to
 * another without a moment at which they disagree. Without a secret there is no signature: then
 * the client certificate says who asks.
 */
export function signatureHeaders(
  secrets: readonly string[],
  body: string,
  now: Instant,
): SignatureHeaders {
  if (secrets.length === 0) return {};
  const timestamp = String(epochSeconds(now));
  const signatures = secrets.map((secret) => {
    const mac = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    return `v1=${mac}`;
  });
  return { 'Jetway-Timestamp': timestamp, 'Jetway-Signature': signatures.join(',') };
}
