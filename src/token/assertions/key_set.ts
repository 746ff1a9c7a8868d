// Owns reading a key set of a client (JWKS, RFC 7517): which of its keys verify signatures, and which sets
// are refused.

import { createPublicKey, hash, type KeyObject } from 'node:crypto';

import type { Digest } from '../../lib/digest.ts';
import { present } from '../../lib/present.ts';
import {
  isMembers,
  MalformedMember,
  type Members,
  neededMember,
  optionalMember,
  parseStrictJson,
  text,
  texts,
} from '../../lib/strict_json.ts';
import {
  type AssertionAlgorithm,
  assertionAlgorithms,
  type ClientKey,
} from '../../oauth/client_certificate.ts';

/** Larger than the sets that clients publish. */
export const mostKeySetBytes = 64 * 1024;

/** Each of them may be tried for one assertion. */
const mostKeys = 32;

/** The message is the end of a sentence; it quotes nothing. */
export class UnusableKeySet extends Error {
  override readonly name = 'UnusableKeySet';
}

/** The members of a key of each type, in the order of RFC 7638. */
const membersOf: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['RSA', ['e', 'kty', 'n']],
  ['EC', ['crv', 'kty', 'x', 'y']],
  ['OKP', ['crv', 'kty', 'x']],
]);

/** RFC 7518 6.2.2 and 6.3.2, RFC 8037 2. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'];

/**
 * The keys of a set, or of one JWK, that verify signatures; keys for other uses are left out
 * (RFC 7517 5). Throws `UnusableKeySet` where there are none, or where any is private, symmetric, weak or
 * malformed (HOSTILE 75).
 */
export function readKeySet(bytes: Uint8Array): readonly ClientKey[] {
  const value = parse(bytes);
  const held = isMembers(value) && 'kty' in value ? [value] : isMembers(value) && value['keys'];
  if (!Array.isArray(held)) throw new UnusableKeySet('is no JWKS: it has no list of keys');
  if (held.length > mostKeys) throw new UnusableKeySet(`holds more than ${mostKeys} keys`);
  const keys = held.flatMap((one: unknown) => readKey(one) ?? []);
  if (keys.length > 0) return keys;
  throw new UnusableKeySet('holds no key that verifies signatures (RSA, EC or Ed25519)');
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    throw new UnusableKeySet(`is no JWKS: ${(error as Error).message}`);
  }
}

function readKey(jwk: unknown): ClientKey | undefined {
  if (!isMembers(jwk)) throw new UnusableKeySet('holds what is no key');
  if (jwk['kty'] === 'oct' || 'k' in jwk) {
    throw new UnusableKeySet('holds a symmetric key: a client registers public keys alone');
  }
  if (privateMembers.some((member) => member in jwk)) {
    throw new UnusableKeySet(
      'holds a private key, which nobody but its owner may have: make another, and send its public half alone',
    );
  }
  const members = readMembers(jwk);
  if (members === undefined) return undefined;
  const { kid, algorithm, made } = members;
  const key = importKey(made);
  expectStrength(key);
  // As the library writes them: one key has one spelling, and so one thumbprint.
  const written = new Map<string, unknown>(Object.entries(key.export({ format: 'jwk' })));
  const own = Object.fromEntries(
    Object.keys(made).map((name) => [name, String(written.get(name))]),
  );
  if (!fitting(own).some((one) => algorithm === undefined || one === algorithm)) return undefined;
  return present({
    thumbprint: hash('sha256', JSON.stringify(own), 'base64url') as Digest,
    kid,
    algorithm,
    jwk: own,
  });
}

/** What is read of a key: its own members, and what it says of itself; undefined where it is for another use. */
function readMembers(jwk: Members) {
  try {
    // A key for another use is left out whatever else it says: no assertion is held against it.
    if ((optionalMember(jwk, 'use', text) ?? 'sig') !== 'sig') return undefined;
    const names = membersOf.get(neededMember(jwk, 'kty', text));
    if (names === undefined) return undefined;
    const operations = optionalMember(jwk, 'key_ops', texts);
    const named = optionalMember(jwk, 'alg', text);
    const kid = optionalMember(jwk, 'kid', text);
    const algorithm = assertionAlgorithms.find((one) => one === named);
    if (operations?.includes('verify') === false || algorithm !== named) return undefined;
    const made = names.map((name) => [name, neededMember(jwk, name, text)] as const);
    return { kid, algorithm, made: Object.fromEntries(made) };
  } catch (error) {
    if (!(error instanceof MalformedMember)) throw error;
    throw new UnusableKeySet(`holds a key that is malformed (${error.message})`);
  }
}

function importKey(key: Readonly<Record<string, string>>): KeyObject {
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    throw new UnusableKeySet('holds a key that cannot be read');
  }
}

/** RFC 7518 3.3 asks for 2048 bits; larger keys and exponents cost whoever checks a signature more. */
function expectStrength({ asymmetricKeyDetails: details }: KeyObject): void {
  const { modulusLength: bits, publicExponent: exponent = 65_537n } = details ?? {};
  if (bits === undefined) return;
  if (bits < 2048 || bits > 8192 || exponent < 3n || exponent > 0xffff_ffffn) {
    throw new UnusableKeySet(
      `holds an RSA key of ${bits} bits and exponent ${exponent}: expected 2048 to 8192 bits, and an exponent such as 65537`,
    );
  }
}

const byCurve: ReadonlyMap<string | undefined, readonly AssertionAlgorithm[]> = new Map([
  ['P-256', ['ES256']],
  ['P-384', ['ES384']],
  ['P-521', ['ES512']],
  ['Ed25519', ['EdDSA', 'Ed25519']],
] as const);

const byRsa = assertionAlgorithms.filter((algorithm) => /^[RP]S/.test(algorithm));

/** The algorithms that a key can have: of no other type is one ever tried (RFC 8725 3.1). */
function fitting({ kty, crv }: ClientKey['jwk']): readonly AssertionAlgorithm[] {
  return kty === 'RSA' ? byRsa : (byCurve.get(crv) ?? []);
}

/** Whether a signature of the algorithm can be the key's. */
export function signsBy({ algorithm, jwk }: ClientKey, named: AssertionAlgorithm): boolean {
  return algorithm === undefined ? fitting(jwk).includes(named) : algorithm === named;
}
