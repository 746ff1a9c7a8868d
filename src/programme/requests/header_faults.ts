// Owns why an Authorization header is not credentials. Asked only once it was refused.

import { suggest } from '../../lib/suggest.ts';
import {
  type BasicCharset,
  type CredentialEncoding,
  credentialsFault,
  decodeCredentials,
  longestAuthorization,
  type SecretHalf,
} from '../../oauth/basic.ts';
import { type Cause, countOf, faulty } from '../../oauth/cause.ts';
import type { ProofFault } from '../../oauth/proofs/proof_faults.ts';

/** Schemes that clients send by mistake; any other first word may be a secret. */
const knownScheme = /^(?:basic|bearer|digest|dpop|negotiate|ntlm|token|apikey)(?= |$)/i;

interface Reading {
  readonly schemes: readonly string[];
  readonly encoding: CredentialEncoding;
  readonly charset: BasicCharset;
  readonly half: SecretHalf | undefined;
  readonly takesBare: boolean;
}

/** @param cause of any header, which tells what is expected */
export function headerCause(
  cause: Cause,
  [header = '', ...others]: readonly string[],
  reading: Reading,
): Cause {
  const { schemes } = reading;
  if (others.length > 0) {
    const came = countOf(others.length + 1, 'Authorization header');
    return faulty(cause, 'several_headers', came);
  }
  if (header.length > longestAuthorization) {
    const came = `an Authorization header of ${header.length} characters`;
    return faulty(cause, 'header_too_long', came);
  }
  const word = knownScheme.exec(header)?.[0];
  const [first = '', ...tokens] = header.trim().split(/\s+/);
  const isOwn = schemes.some((scheme) => scheme.toLowerCase() === first.toLowerCase());
  if (word !== undefined && !isOwn) return faulty(cause, 'other_scheme', `the scheme ${word}`);
  const fault = isOwn
    ? afterScheme(header, tokens, reading)
    : withoutScheme(first, tokens, reading);
  const told = faulty(cause, fault);
  const token = tokens[0] ?? first;
  const isForeign = fault === 'credentials_not_utf8' && reading.charset === 'utf-8';
  if (!isForeign || decodeCredentials(token, 'raw', 'utf-8_or_iso-8859-1') === undefined)
    return told;
  const expected = 'identifier and secret in UTF-8 inside the base64';
  return { ...told, rule: ['client', 'authentication', 'basic_charset'], expected };
}

function afterScheme(
  header: string,
  [token, ...more]: readonly string[],
  { encoding, half }: Reading,
): ProofFault {
  if (token === undefined) return 'scheme_alone';
  if (more.length > 0) return 'credentials_wrapped';
  const isSpaced = /^\S+ +\S+$/.test(header.trim());
  return isSpaced ? credentialsFault(token, encoding, half) : 'scheme_separator';
}

function withoutScheme(
  first: string,
  more: readonly string[],
  { schemes, encoding, half, takesBare }: Reading,
): ProofFault {
  const plain = first.toLowerCase().replace(/:$/, '');
  const names = schemes.map((scheme) => scheme.toLowerCase());
  if (more.length > 0) {
    const isNear = names.includes(plain) || suggest(plain, names) !== undefined;
    if (isNear) return 'scheme_misspelled';
    return takesBare ? 'credentials_wrapped' : 'scheme_missing';
  }
  const isGlued = names.some(
    (name) =>
      first.toLowerCase().startsWith(name) &&
      decodeCredentials(first.slice(name.length).replace(/^:/, ''), encoding) !== undefined,
  );
  if (isGlued) return 'scheme_separator';
  return takesBare ? credentialsFault(first, encoding, half) : 'scheme_missing';
}
