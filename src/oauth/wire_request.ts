// Owns the shape in which a request reaches the engine: its raw parts, nothing decoded.

/** An HTTP request as it was sent. */
export interface WireRequest {
  readonly method: string;
  /** Path as sent: no decoding, no dot segments removed. */
  readonly path: string;
  /** What follows the first `?`, still encoded. */
  readonly query: string;
  /** Names and values in turn, as received, so that a repeated header is seen as one. */
  readonly rawHeaders: readonly string[];
  /** The whole body; `too_large` when it went past the limit and was not kept. */
  readonly body: Uint8Array | 'too_large';
  /** Address of who sent it, worked out when it is asked for; never what a partner claims (P-6). */
  readonly address: () => string;
  /**
   * Aborts with `HungUp` once the sender has closed the connection without waiting for the answer;
   * made when it is asked for, since few requests take long enough to look.
   */
  readonly hangUp: () => AbortSignal;
}

/** What of a request is known before its body. */
export type RequestHead = Omit<WireRequest, 'address' | 'body' | 'hangUp'>;

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
