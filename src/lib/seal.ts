// Owns sealing: authenticated encryption of short texts, and deriving its keys.

import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

import { randomBytes } from './random.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** A 256-bit key for one purpose, derived from a secret (HKDF-SHA256, RFC 5869). */
export function deriveKey(secret: Uint8Array | string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
}

/** Encrypts `text` under `key`; `context` is authenticated with it but not kept. Returns base64url. */
export function seal(key: Uint8Array, text: string, context = ''): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  // Authenticating an empty context would change nothing but the time it takes.
  if (context !== '') cipher.setAAD(Buffer.from(context));
  const body = cipher.update(text, 'utf8');
  // With GCM `final` adds nothing but the tag.
  return Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** The sealed text; undefined unless key, context and bytes are those of the sealing. */
export function unseal(key: Uint8Array, sealed: string, context = ''): string | undefined {
  if (!/^[\w-]+$/.test(sealed)) return undefined;
  const bytes = Buffer.from(sealed, 'base64url');
  // Node's decoder ignores stray trailing bits: only the canonical spelling is accepted.
  if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== sealed)
    return undefined;
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes));
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const body = bytes.subarray(nonceBytes, -tagBytes);
    return decipher.update(body, undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
