// Owns refresh tokens that are JWTs: an envelope whose claim `rt` holds the refresh token itself.

import { signingAlgorithms } from '../oauth/signing_key.ts';
import { longestToken, refreshTokenType } from './jwt.ts';
import { canonicalJwt } from './token_verifier.ts';

/** Characters of the signatures of each algorithm; RSA keys have 2048 bits or more. */
const signatureLengths = { ES256: [86, 86], EdDSA: [86, 86], RS256: [342, 683] } as const;

/**
 * The refresh token in a text: the text itself, or what a JWT of ours holds. Its signature is not
 * checked and no claim is trusted: the refresh token proves itself.
 */
export function openRefreshEnvelope(text: string): string | undefined {
  if (!text.includes('.')) return text;
  if (text.length > longestToken || !canonicalJwt.test(text)) return undefined;
  const [head = '', body = '', signature = ''] = text.split('.');
  const { alg, typ, kid, ...others } = decode(head);
  const algorithm = signingAlgorithms.find((name) => name === alg);
  if (algorithm === undefined || typ !== refreshTokenType || typeof kid !== 'string') {
    return undefined;
  }
  const [shortest, longest] = signatureLengths[algorithm];
  if (signature.length < shortest || signature.length > longest) return undefined;
  const { rt } = decode(body);
  return Object.keys(others).length === 0 && typeof rt === 'string' ? rt : undefined;
}

/** The members of an encoded JSON object; none for any other text. */
function decode(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
