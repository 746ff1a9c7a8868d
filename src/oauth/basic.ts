// Owns reading a client's identifier and secret out of an Authorization header.

import { isUtf8 } from 'node:buffer';

import { type Cause, countOf, ownCause } from './cause.ts';

/** The credentials as sent; not checked against a registration. */
export interface ClientCredentials {
  readonly id: string;
  /** The secret; two readings of it where a dialect accepts either encoding. */
  readonly secrets: readonly string[];
}

/**
 * The encoding of identifier and secret inside the base64: none (RFC 7617), form-encoding (RFC 6749
 * 2.3.1), either of the two, or base64 for each.
 */
export const credentialEncodings = ['raw', 'form', 'either', 'base64'] as const;
export type CredentialEncoding = (typeof credentialEncodings)[number];

/**
 * The charset of the text inside the base64. RFC 7617 leaves it open: some libraries send ISO-8859-1. Bytes
 * that are UTF-8 are always read as that, so that bytes have one reading.
 */
export const basicCharsets = ['utf-8', 'utf-8_or_iso-8859-1'] as const;
export type BasicCharset = (typeof basicCharsets)[number];

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
// eslint-disable-next-line no-control-regex -- RFC 7617 2: user-id and password hold no control characters
const control = /[\u0000-\u001f\u007f]/;
/** Nobody types these: bytes of another charset, such as windows-1252, would become them. */
const upperControl = /[\u0080-\u009f]/;

/** Longer than any identifier and secret; longer headers are refused before decoding. */
export const longestAuthorization = 4096;

/** Reads the token after one of these words (any case, RFC 9110 11.1); undefined for another or none. */
export function tokenAfter(schemes: readonly string[]): (header: string) => string | undefined {
  const form = new RegExp(`^(?:${schemes.join('|')}) +(\\S+)$`, 'i');
  return (header) => form.exec(header)?.[1];
}

/** Where a secret without an identifier stands; of `either`, the other half is empty. */
export const secretHalves = ['first', 'second', 'either'] as const;
export type SecretHalf = (typeof secretHalves)[number];

/**
 * Decodes base64(`identifier:secret`). The first colon splits: a secret may hold colons. Where either
 * encoding is accepted, the identifier is decoded: its shape has no character that the encoding
 * changes. Returns undefined for anything undecodable: Node's own decoder accepts `YT!pi`, so alphabet
 * and padding are checked first.
 */
export function decodeCredentials(
  token: string,
  named: CredentialEncoding,
  charset: BasicCharset = 'utf-8',
): ClientCredentials | undefined {
  const [text, encoding] = openToken(token, named, charset);
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon <= 0) return undefined;
  if (encoding === 'base64') return decodeEach(text.slice(0, colon), text.slice(colon + 1));
  // An identifier that cannot be decoded is none in either encoding.
  const [id] = readings(text.slice(0, colon), encoding === 'raw' ? 'raw' : 'form');
  const secrets = readings(text.slice(colon + 1), encoding);
  return id === undefined || secrets.length === 0 ? undefined : { id, secrets };
}

/**
 * The possible readings of the secret in one half of base64(`half:half`); none where there is none. Of
 * `either`, both halves can also be the same.
 */
export function decodeSecret(
  token: string,
  named: CredentialEncoding,
  half: SecretHalf,
  charset: BasicCharset = 'utf-8',
): readonly string[] {
  const [text, encoding] = openToken(token, named, charset);
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon < 0) return [];
  const [first, second] = [text.slice(0, colon), text.slice(colon + 1)];
  const isAlone = first === '' || second === '' || first === second;
  const either = isAlone ? first || second : '';
  const chosen = { first, second, either }[half];
  if (chosen === '') return [];
  if (encoding !== 'base64') return readings(chosen, encoding);
  const decoded = decodeBase64(chosen);
  return decoded === undefined ? [] : readings(decoded, 'raw');
}

/**
 * The text in base64, and how its halves are encoded: other bytes than UTF-8 are raw (HOSTILE 88), since a
 * form encoder writes ASCII alone.
 */
function openToken(
  token: string,
  named: CredentialEncoding,
  charset: BasicCharset,
): readonly [text: string | undefined, encoding: CredentialEncoding] {
  const text = decodeBase64(token);
  return text === undefined ? [decodeLatin1(token, charset), 'raw'] : [text, named];
}

/** Identifier and secret that are each encoded in base64 again. */
function decodeEach(first: string, second: string): ClientCredentials | undefined {
  const [id, secret] = [first, second].map(decodeBase64);
  if (id === undefined || secret === undefined || control.test(id + secret)) return undefined;
  return { id, secrets: [secret] };
}

/** The UTF-8 in base64; undefined for text outside its alphabet or padding, and for other bytes. */
function decodeBase64(token: string): string | undefined {
  const bytes = bytesOf(token);
  return bytes && isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** The ISO-8859-1 in base64 that holds no UTF-8; undefined where the charset is not taken. */
function decodeLatin1(token: string, charset: BasicCharset): string | undefined {
  const text = charset === 'utf-8' ? undefined : bytesOf(token)?.toString('latin1');
  return text === undefined || upperControl.test(text) ? undefined : text;
}

function bytesOf(token: string): Buffer | undefined {
  if (!base64.test(token) || token.length % 4 === 1) return undefined;
  if (token.includes('=') && token.length % 4 !== 0) return undefined;
  return Buffer.from(token, 'base64');
}

/** The possible texts of a value, the value itself first; none where it cannot be decoded. */
function readings(text: string, encoding: CredentialEncoding): string[] {
  if (encoding === 'raw' || !/[%+]/.test(text)) return control.test(text) ? [] : [text];
  const decoded = decodeForm(text);
  const found = encoding === 'either' ? [text] : [];
  if (decoded !== undefined) found.push(decoded);
  return found.filter((reading) => !control.test(reading));
}

function decodeForm(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** Schemes that clients send by mistake; any other first word may be a secret. */
const knownScheme = /^(?:basic|bearer|digest|dpop|negotiate|ntlm|token|apikey)(?= |$)/i;

/**
 * Why headers hold no credentials.
 *
 * @param ways what is expected in their place
 */
export function malformedHeader(
  headers: readonly string[],
  { scheme, basic_charset: charset }: { scheme: string; basic_charset: BasicCharset },
  ways: string,
): Cause {
  const [header = '', another] = headers;
  const isForeign = charset === 'utf-8' && another === undefined && holdsForeign(header, scheme);
  const [key, expected, came] = isForeign
    ? ['basic_charset', 'identifier and secret in UTF-8 inside the base64', foreignBytes]
    : ['methods', ways, describeHeaders(headers, scheme)];
  return ownCause(['client', 'authentication', key], expected, came, 'authorization');
}

/** Whether a header would hold credentials if they were in ISO-8859-1. */
function holdsForeign(header: string, scheme: string): boolean {
  if (header.length > longestAuthorization) return false;
  const [word = '', token = word] = header.split(/ +/);
  if (token !== word && word.toLowerCase() !== scheme.toLowerCase()) return false;
  if (decodeBase64(token) !== undefined) return false;
  return (decodeLatin1(token, 'utf-8_or_iso-8859-1')?.indexOf(':') ?? -1) > 0;
}

const foreignBytes =
  'base64 of bytes that are no UTF-8, such as letters beyond ASCII in ISO-8859-1';

function describeHeaders([header = '', ...others]: readonly string[], scheme: string): string {
  if (others.length > 0) return countOf(others.length + 1, 'Authorization header');
  if (header.length > longestAuthorization) {
    return `an Authorization header of ${header.length} characters`;
  }
  const isOwn = header.split(' ', 1)[0]?.toLowerCase() === scheme.toLowerCase();
  const word = isOwn ? scheme : knownScheme.exec(header)?.[0];
  if (word !== undefined && !isOwn) return `the scheme ${word}`;
  const kind = word ?? 'an Authorization header without a known scheme';
  return `${kind}, not followed by what decodes to an identifier, ":" and a secret`;
}
