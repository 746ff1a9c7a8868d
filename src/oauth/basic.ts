// Owns reading a client's identifier and secret out of an Authorization header.

/** What the client says it is; nothing here is checked against a registration. */
export interface ClientCredentials {
  readonly id: string;
  readonly secret: string;
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const utf8 = new TextDecoder('utf-8', { fatal: true });
// eslint-disable-next-line no-control-regex -- RFC 7617 2: user-id and password hold no control characters
const control = /[\u0000-\u001f\u007f]/;

/** The token after `Basic` (any case, RFC 7235 2.1); undefined for another scheme or none. */
export function basicToken(header: string): string | undefined {
  return /^basic +(\S+)$/i.exec(header)?.[1];
}

/**
 * Decodes base64(`identifier:secret`). The first colon splits, so that a secret may hold more of
 * them. `form` decodes both halves as RFC 6749 2.3.1 asks; `raw` takes them as they are (RFC 7617).
 * Returns undefined for anything undecodable: Node's own decoder would let `YT!pi` through, so the
 * alphabet and padding are checked first.
 */
export function decodeCredentials(
  token: string,
  encoding: 'raw' | 'form',
): ClientCredentials | undefined {
  if (!base64.test(token) || token.length % 4 === 1) return undefined;
  if (token.includes('=') && token.length % 4 !== 0) return undefined;
  const text = decodeUtf8(Buffer.from(token, 'base64'));
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon <= 0) return undefined;
  const id = decode(text.slice(0, colon), encoding);
  const secret = decode(text.slice(colon + 1), encoding);
  if (id === undefined || secret === undefined || control.test(id + secret)) return undefined;
  return { id, secret };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function decode(text: string, encoding: 'raw' | 'form'): string | undefined {
  if (encoding === 'raw') return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
