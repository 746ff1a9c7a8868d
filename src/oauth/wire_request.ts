// Owns the shape of a request to the engine: its raw parts, nothing decoded.

import type { PresentedCertificate } from './client_certificate.ts';
import type { RequestRecord } from './request_record.ts';

/** An HTTP request as it was sent. */
export interface WireRequest {
  readonly method: string;
  /** Path as sent: no decoding, no dot segments removed. */
  readonly path: string;
  /** What follows the first `?`, still encoded. */
  readonly query: string;
  /** Names and values in turn as received, so that a repeated header is noticed. */
  readonly rawHeaders: readonly string[];
  /** The whole body; `too_large` where it exceeded the limit and was not kept. */
  readonly body: Uint8Array | 'too_large';
  /** The sender's address, found when called; never an address that a partner claims (P-6). */
  readonly address: () => string;
  /** The certificate that the sender has shown for this connection, read when called. */
  readonly certificate: () => PresentedCertificate | undefined;
  /**
   * Makes a signal that aborts with `HungUp` once the sender has closed the connection before the
   * answer. Few requests take long enough to need one.
   */
  readonly hangUp: () => AbortSignal;
  readonly record: RequestRecord;
}

/** More than any browser keeps for one host. */
const mostCookies = 1000;

/**
 * The cookies of a request in order, as they were sent; of a name there can be several. Those beyond what
 * a browser sends are not read (HOSTILE 84).
 */
export function cookiesOf(
  request: Pick<WireRequest, 'rawHeaders'>,
): readonly (readonly [name: string, value: string])[] {
  return headerValues(request, 'cookie')
    .flatMap((header) => header.split(';', mostCookies))
    .slice(0, mostCookies)
    .map((sent) => {
      const pair = sent.trim();
      const equals = pair.indexOf('=');
      return equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    });
}

/** The parts of a request before its body. */
export type RequestHead = Omit<WireRequest, 'address' | 'body' | 'certificate' | 'hangUp'>;

/** All values of a header, in order. */
export function headerValues(request: Pick<WireRequest, 'rawHeaders'>, name: string): string[] {
  const found: string[] = [];
  const raw = request.rawHeaders;
  for (let index = 0; index < raw.length; index += 2) {
    const candidate = raw[index];
    if (candidate?.length === name.length && candidate.toLowerCase() === name) {
      found.push(raw[index + 1] ?? '');
    }
  }
  return found;
}
