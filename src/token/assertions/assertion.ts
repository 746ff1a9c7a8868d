// Owns assertions (JWTs, RFC 7523 3): reading one, and whether it is good now. Whose keys are tried, and
// what an assertion is good for, is its callers' business.

import { compactVerify, errors } from 'jose';

import type { Instant } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import { present } from '../../lib/present.ts';
import {
  isMembers,
  type Members,
  optionalMember,
  parseStrictJson,
  text,
} from '../../lib/strict_json.ts';
import {
  type AssertionAlgorithm,
  assertionAlgorithms,
  type ClientKey,
} from '../../oauth/client_certificate.ts';
import { type ProofFault, proofFaults } from '../../oauth/proofs/proof_faults.ts';
import { longestToken } from '../jwt.ts';
import { canonicalJwt } from '../token_verifier.ts';
import {
  type AssertionFault,
  type AssertionRules,
  type ExpectedClaims,
  fault,
  malformed,
  type NamedClaims,
  type ProvenClaims,
  readClaims,
} from './claims.ts';
import { decoyKey, keyObject } from './key_objects.ts';
import { signsBy } from './key_set.ts';

/** An assertion as it was sent: nothing of it is proved. */
export interface Assertion extends NamedClaims {
  readonly text: string;
  readonly algorithm: AssertionAlgorithm;
  readonly kid?: string;
}

/** What an assertion proves. */
export interface ProvenAssertion extends ProvenClaims {
  /** The key that signed it. */
  readonly key: Digest;
}

/** Other texts than these say that a JWT is of another kind (RFC 8725 3.11). */
export const assertionTypes = {
  client: 'client-authentication+jwt',
  grant: 'authorization-grant+jwt',
} as const;
export type AssertionUse = keyof typeof assertionTypes;

/**
 * Reads a JWT (RFC 7515 7.1) without believing it. A fault for any other text, for one whose header
 * has a member twice or `crit`, of which no extension is known here, or says that it is of another kind,
 * for an algorithm that is none of `assertionAlgorithms`, and for names that are malformed (HOSTILE 75).
 * Nothing else of the header (`jwk`, `jku`, `x5c`, `x5u`) is ever looked at.
 */
export function readAssertion(jwt: string, use: AssertionUse): Assertion | AssertionFault {
  if (jwt.length > longestToken || !canonicalJwt.test(jwt)) {
    const isEncrypted = /^[\w-]+(?:\.[\w-]*){4}$/.test(jwt);
    return unreadable(isEncrypted ? 'assertion_encrypted' : 'assertion_no_jwt', jwt);
  }
  const [head = '', body = ''] = jwt.split('.');
  const [header, claims] = [readPart(head), readPart(body)];
  if (header === undefined || claims === undefined) return unreadable('assertion_no_json', jwt);
  if ('crit' in header) return unreadable('assertion_crit', jwt);
  const { alg, typ } = header;
  const algorithm = assertionAlgorithms.find((one) => one === alg);
  if (algorithm === undefined) return unreadable('assertion_algorithm', jwt);
  const isKind = typ === undefined || typ === assertionTypes[use] || typ === 'JWT' || typ === 'jwt';
  if (!isKind) return unreadable('assertion_type', jwt);
  try {
    return present({
      text: jwt,
      algorithm,
      kid: optionalMember(header, 'kid', text),
      claims,
      issuer: optionalMember(claims, 'iss', text),
      subject: optionalMember(claims, 'sub', text),
    });
  } catch (error) {
    return malformed(error, false);
  }
}

function unreadable(name: ProofFault, { length }: string): AssertionFault {
  const expected = 'a JWT that the client has signed';
  const came = proofFaults[name].came ?? `${length} characters that are none`;
  return fault(name, expected, came, false);
}

function readPart(part: string): Members | undefined {
  try {
    const value = parseStrictJson(Buffer.from(part, 'base64url'));
    return isMembers(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Proves an assertion by one of the keys, then its claims. Throws `AssertionFault`. Where no key fits,
 * one that nobody has is tried in its place: it takes as long to find out.
 */
export async function proveAssertion(
  assertion: Assertion,
  keys: readonly ClientKey[],
  rules: AssertionRules,
  expected: ExpectedClaims,
  now: Instant,
): Promise<ProvenAssertion> {
  const key = await findSigner(assertion, keys, rules);
  try {
    return { ...readClaims(assertion, rules, expected, now), key: key.thumbprint };
  } catch (error) {
    throw malformed(error, true);
  }
}

async function findSigner(
  { text: jwt, algorithm, kid }: Assertion,
  keys: readonly ClientKey[],
  { algorithms }: AssertionRules,
): Promise<ClientKey> {
  // A key without a kid may have signed what names one: many sets of one key have none.
  const named = keys.filter((key) => kid === undefined || (key.kid ?? kid) === kid);
  const fit = algorithms.has(algorithm) ? named.filter((key) => signsBy(key, algorithm)) : [];
  const tried = fit.length === 0 ? [decoyKey(algorithm)] : fit.map(keyObject);
  for (const [index, one] of tried.entries()) {
    const found = fit[index];
    if ((await isSignedBy(jwt, algorithm, one)) && found !== undefined) return found;
  }
  if (!algorithms.has(algorithm)) {
    throw fault(
      'assertion_other_algorithm',
      `signed by ${[...algorithms].join(', ')}`,
      `one by ${algorithm}`,
      false,
    );
  }
  const expected = `signed by one of the client's ${keys.length} keys`;
  if (named.length === 0 && kid !== undefined) {
    throw fault('assertion_kid', expected, 'one whose kid none of them has', false);
  }
  if (fit.length === 0) {
    const came = `one whose algorithm ${algorithm} fits none of them`;
    throw fault('assertion_key_kind', expected, came, false);
  }
  throw fault('assertion_signature', expected, 'one that none of them has signed', false);
}

async function isSignedBy(
  jwt: string,
  algorithm: AssertionAlgorithm,
  key: ReturnType<typeof keyObject>,
): Promise<boolean> {
  try {
    await compactVerify(jwt, key, { algorithms: [algorithm] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return false;
    throw error;
  }
}
