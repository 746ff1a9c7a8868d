// Owns the shape of an answer: status, headers, body; and how any text is written as a header's value.

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

/**
 * A text as the value of a header, which is ASCII (RFC 9110 5.5). Visible ASCII and single inner spaces
 * stay; the percent sign and all else is percent-encoded in UTF-8, as RFC 8187 writes a text.
 */
export function headerText(value = ''): string {
  return /^[!-$&-~]*$/.test(value) ? value : encode(value);
}

function encode(value: string): string {
  const text = value.toWellFormed();
  return text.replaceAll(/[^!-$&-~ ]+|^ | $| (?= )/g, (part) => encodeURIComponent(part));
}
