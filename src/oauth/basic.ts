// Owns reading a client's identifier and secret out of an Authorization header.

import { isUtf8 } from 'node:buffer';

import type { ProofFault } from './proofs/proof_faults.ts';

/** The credentials as sent; not checked against a registration. */
export interface ClientCredentials {
  readonly id: string;
  /** The secret; two readings of it where a dialect accepts either encoding. */
  readonly secrets: readonly string[];
}

/**
 * The encoding of identifier and secret inside the base64: none (RFC 7617), form-encoding (RFC 6749
 * 2.3.1), either of the two, or base64 for each. With the words for comparing two versions of a dialect,
 * and those for partners.
 */
export const encodingRows = {
  raw: ['as they are', ''],
  form: ['form-encoded', ' Both are form-encoded first; what we generate is the same encoded.'],
  either: ['as they are, or form-encoded', ''],
  base64: ['each in base64', ' Each of the two is put into base64 first.'],
} as const;
export type CredentialEncoding = keyof typeof encodingRows;
export const credentialEncodings = Object.keys(encodingRows) as readonly CredentialEncoding[];

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
 * Why a token is not credentials, for what `decodeCredentials` or `decodeSecret` has refused.
 *
 * @param half where the secret alone is read
 */
export function credentialsFault(
  token: string,
  encoding: CredentialEncoding,
  half?: SecretHalf,
): ProofFault {
  if (token.includes(':')) return 'credentials_plain';
  if (/^[\w-]+={0,2}$/.test(token) && !base64.test(token)) return 'credentials_base64url';
  if (!base64.test(token)) return 'credentials_not_base64';
  const isPadded = !token.includes('=') || token.length % 4 === 0;
  if (token.length % 4 === 1 || !isPadded) return 'credentials_cut';
  const bytes = Buffer.from(token, 'base64');
  const isUtf16 = bytes.length > 2 && bytes.length % 2 === 0 && has16Bits(bytes);
  if (isUtf16) return 'credentials_utf16';
  const text = decodeBase64(token);
  return text === undefined ? 'credentials_not_utf8' : pairFault(text, encoding, half);
}

/** ASCII in UTF-16, of either order, with a byte order mark or without. */
function has16Bits(bytes: Uint8Array): boolean {
  const zeros = [0, 1].map((parity) =>
    bytes.every((one, at) => at < 2 || at % 2 !== parity || one === 0),
  );
  return zeros.includes(true);
}

function pairFault(
  text: string,
  encoding: CredentialEncoding,
  half: SecretHalf | undefined,
): ProofFault {
  const colon = text.indexOf(':');
  if (colon < 0) {
    return decodeBase64(text.trim())?.includes(':') === true
      ? 'credentials_encoded_twice'
      : 'credentials_no_colon';
  }
  if (colon === 0 && half === undefined) return 'identifier_empty';
  const halves = [text.slice(0, colon), text.slice(colon + 1)];
  const isForm = encoding === 'form' || encoding === 'either';
  const [id, secret] = halves.map((one) => {
    // What surrounds base64 is found out below, with the rest.
    if (encoding === 'base64')
      return decodeBase64(one.trim())?.concat(/[\r\n]+$/.exec(one)?.[0] ?? '');
    return isForm ? decodeForm(one) : one;
  });
  if (id === undefined || secret === undefined) {
    return encoding === 'base64' ? 'halves_not_base64' : 'percent_malformed';
  }
  if (/[\r\n]$/.test(secret)) return 'secret_line_end';
  if (/[\r\n]/.test(id + secret)) return 'line_end_inside';
  if (control.test(id + secret)) return 'control_character';
  return half === undefined ? 'secret_empty' : 'secret_half_misplaced';
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

/** What a secret may have been before it was sent with a usual fault; mostly none. */
export function nearReadings(text: string): readonly (readonly [ProofFault, string])[] {
  const [, , inner] = /^(["'])(.+)\1$/s.exec(text) ?? [];
  const decoded = /[%+]/.test(text) ? decodeForm(text) : undefined;
  return (
    [
      ['secret_white_space', text.trim() === text ? undefined : text.trim()],
      ['secret_quoted', inner],
      ['secret_percent', decoded],
    ] as const
  ).filter((one): one is readonly [(typeof one)[0], string] => one[1] !== undefined);
}
