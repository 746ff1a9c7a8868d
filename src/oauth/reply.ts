// Owns the shape of an answer: status, headers, body.

/** A complete HTTP answer; frozen ones are shared between requests. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Texts of `Set-Cookie`, each a header of its own. */
  readonly cookies?: readonly string[];
}

/** RFC 6749 5.1 (C-10, HOSTILE 52): answers that carry or refuse tokens are never cached. */
export const noStore: Readonly<Record<string, string>> = Object.freeze({
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
});

/** An answer in JSON of no programme's dialect. */
export function jsonReply(status: number, body: object): Reply {
  return Object.freeze({
    status,
    headers: Object.freeze({ 'Content-Type': 'application/json', ...noStore }),
    body: JSON.stringify(body),
  });
}
