// Owns the two recipes by which a signing secret signs: an HMAC, or a digest of a text that holds the secret. What
// is signed comes from the dialect; no text is parsed here.

import { createHmac, hash } from 'node:crypto';

export const signatureHashes = ['sha256', 'sha512', 'sha1', 'md5'] as const;
export type SignatureHash = (typeof signatureHashes)[number];

/** Where collisions are made on purpose: only for dialects that ask for them. */
export const weakHashes: readonly SignatureHash[] = ['sha1', 'md5'];

export const signatureEncodings = ['hex', 'upper_hex', 'base64', 'base64url'] as const;
export type SignatureEncoding = (typeof signatureEncodings)[number];

export interface SignatureMethod {
  readonly kind: 'hmac' | 'digest';
  readonly hash: SignatureHash;
  readonly encoding: SignatureEncoding;
}

/** Stands for the secret among the values of a digest. */
export const secretWord = 'secret';

/**
 * The signature of a text. Of a digest, the text has the secret in it already.
 *
 * @param secret the key of an HMAC
 */
export function signatureOf(method: SignatureMethod, text: string, secret: string): string {
  const { kind, hash: name, encoding } = method;
  const form = encoding === 'upper_hex' ? 'hex' : encoding;
  const made =
    kind === 'hmac' ? createHmac(name, secret).update(text).digest(form) : hash(name, text, form);
  return encoding === 'upper_hex' ? made.toUpperCase() : made;
}

/**
 * Parameters as the text of a signature: `name=value` with `&` between. In names and values `%` and `&` are
 * escaped, in names `=` too, so that no value passes for another parameter. Absent ones are left out.
 */
export function signedPairs(
  names: readonly string[],
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  return names
    .flatMap((name) => {
      const value = parameters[name];
      return value === undefined
        ? []
        : [`${escaped(name).replaceAll('=', '%3D')}=${escaped(value)}`];
    })
    .join('&');
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('&', '%26');
}
