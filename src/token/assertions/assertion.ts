// Owns assertions (JWTs, RFC 7523 3): reading one, and whether it is good now. Whose keys are tried, and
// what an assertion is good for, is its callers' business.

import { compactVerify, errors } from 'jose';

import { type Instant, instant, longestTolerance, type Milliseconds } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import { present } from '../../lib/present.ts';
import { parseStrictJson } from '../../lib/strict_json.ts';
import {
  type AssertionAlgorithm,
  assertionAlgorithms,
  type ClientKey,
} from '../../oauth/client_certificate.ts';
import { canonicalJwt, longestToken } from '../token_verifier.ts';
import { decoyKey, keyObject } from './key_objects.ts';
import { signsBy } from './key_set.ts';

/** An assertion as it was sent: nothing of it is proved. */
export interface Assertion {
  readonly text: string;
  readonly algorithm: AssertionAlgorithm;
  readonly kid?: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly issuer?: string;
  readonly subject?: string;
}

/** What an assertion proves. */
export interface ProvenAssertion {
  readonly issuer: string;
  readonly subject?: string;
  /** What it asks for, with spaces between. */
  readonly scope?: string;
  /** Its `jti`. */
  readonly id?: string;
  /** Before then nobody can have used it. */
  readonly since: Instant;
  /** From then on it is refused for its age, whatever tolerance a file sets. */
  readonly forgetAt: Instant;
  /** The key that signed it. */
  readonly key: Digest;
}

export interface AssertionRules {
  readonly algorithms: ReadonlySet<string>;
  /** How far ahead `exp` may lie. */
  readonly longest: Milliseconds;
  /** How far the client's clock may be off. */
  readonly tolerance: Milliseconds;
  /** Whether an assertion without `jti` is refused. */
  readonly needsId: boolean;
}

/** What the claims of one assertion must be. */
export interface ExpectedClaims {
  readonly issuers: ReadonlySet<string>;
  readonly audiences: ReadonlySet<string>;
  /** Whether an assertion without `aud` is taken. */
  readonly takesNoAudience: boolean;
}

/** Why an assertion is refused, in words that repeat nothing of it. */
export class AssertionFault extends Error {
  override readonly name = 'AssertionFault';
  readonly expected: string;
  /** Whether the signature was right: then the client itself may be told. */
  readonly isProven: boolean;

  constructor(expected: string, came: string, isProven: boolean) {
    super(came);
    this.expected = expected;
    this.isProven = isProven;
  }
}

/** Other texts than these say that a JWT is of another kind (RFC 8725 3.11). */
export const assertionTypes = {
  client: 'client-authentication+jwt',
  grant: 'authorization-grant+jwt',
} as const;
export type AssertionUse = keyof typeof assertionTypes;

/**
 * Reads a JWT (RFC 7515 7.1) without believing it. Undefined for any other text, for one whose header
 * has a member twice or `crit`, of which no extension is known here, or says that it is of another kind,
 * and for an algorithm that is none of `assertionAlgorithms`. Nothing else of the header (`jwk`, `jku`,
 * `x5c`, `x5u`) is ever looked at.
 */
export function readAssertion(text: string, use: AssertionUse): Assertion | undefined {
  if (text.length > longestToken || !canonicalJwt.test(text)) return undefined;
  const [head = '', body = ''] = text.split('.');
  const [header, claims] = [readPart(head), readPart(body)];
  if (header === undefined || claims === undefined || 'crit' in header) return undefined;
  const { alg, kid, typ } = header;
  const algorithm = assertionAlgorithms.find((one) => one === alg);
  const isKind = typ === undefined || typ === assertionTypes[use] || typ === 'JWT' || typ === 'jwt';
  if (algorithm === undefined || !isKind) return undefined;
  return present({
    text,
    algorithm,
    kid: textOf(kid),
    claims,
    issuer: textOf(claims['iss']),
    subject: textOf(claims['sub']),
  });
}

function readPart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseStrictJson(Buffer.from(part, 'base64url'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return value as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
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
  const { claims, subject } = assertion;
  const issuer = expectNames(claims, expected);
  const times = expectTimes(claims, rules, now);
  const id = readId(claims['jti'], rules);
  const scope = scopeOf(claims['scope']);
  return present({ issuer, subject, scope, id, ...times, key: key.thumbprint });
}

async function findSigner(
  { text, algorithm, kid }: Assertion,
  keys: readonly ClientKey[],
  { algorithms }: AssertionRules,
): Promise<ClientKey> {
  // A key without a kid may have signed what names one: many sets of one key have none.
  const named = keys.filter((key) => kid === undefined || (key.kid ?? kid) === kid);
  const fit = algorithms.has(algorithm) ? named.filter((key) => signsBy(key, algorithm)) : [];
  const tried = fit.length === 0 ? [decoyKey(algorithm)] : fit.map(keyObject);
  for (const [index, one] of tried.entries()) {
    const found = fit[index];
    if ((await isSignedBy(text, algorithm, one)) && found !== undefined) return found;
  }
  if (!algorithms.has(algorithm)) {
    throw fault(`signed by ${[...algorithms].join(', ')}`, `one by ${algorithm}`, false);
  }
  const came =
    fit.length === 0
      ? `one whose kid and algorithm ${algorithm} fit none of them`
      : 'one that none of them has signed';
  throw fault(`signed by one of the client's ${keys.length} keys`, came, false);
}

async function isSignedBy(
  text: string,
  algorithm: AssertionAlgorithm,
  key: ReturnType<typeof keyObject>,
): Promise<boolean> {
  try {
    await compactVerify(text, key, { algorithms: [algorithm] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return false;
    throw error;
  }
}

/** RFC 7523 3, items 1 and 3; the issuer. */
function expectNames(
  { iss, aud }: Assertion['claims'],
  { issuers, audiences, takesNoAudience }: ExpectedClaims,
): string {
  if (typeof iss !== 'string' || !issuers.has(iss)) {
    throw fault(
      'iss: what is registered for the client',
      iss === undefined ? 'no iss' : 'another one',
    );
  }
  if (aud === undefined && takesNoAudience) return iss;
  const named = [aud].flat();
  if (named.some((one) => typeof one === 'string' && audiences.has(one))) return iss;
  const came = aud === undefined ? 'no aud' : 'another one';
  throw fault(`aud: ${[...audiences].join(' or ')}`, came);
}

/** RFC 7523 3, items 4 to 6; the time within which the assertion is taken. */
function expectTimes(
  { exp, iat, nbf }: Assertion['claims'],
  { longest, tolerance }: AssertionRules,
  now: Instant,
): Pick<ProvenAssertion, 'since' | 'forgetAt'> {
  const end = timeOf('exp', exp);
  if (end === undefined) throw fault('exp: when it ends', 'no exp');
  if (end + tolerance <= now) throw fault('one that has not ended', 'one whose exp has passed');
  if (end - tolerance > now + longest) {
    throw fault(`one that ends within ${longest / 1000} s`, 'one with a later exp');
  }
  const issued = timeOf('iat', iat);
  for (const [name, time] of [
    ['iat', issued],
    ['nbf', timeOf('nbf', nbf)],
  ] as const) {
    if (time !== undefined && time - tolerance > now) {
      throw fault('one that is good by now', `one whose ${name} is yet to come`);
    }
  }
  // Not the later of both: an earlier file may have taken it earlier than this `longest` does.
  const since = (issued ?? end - longest) - tolerance;
  return { since: instant(since), forgetAt: instant(end + longestTolerance) };
}

/** Seconds since 1970 as milliseconds (RFC 7519 2). */
function timeOf(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= 0 && value < 2 ** 43) return value * 1000;
  throw fault(`${name}: seconds since 1970, as a number`, 'something else');
}

const longestId = 255;

function readId(jti: unknown, { needsId }: AssertionRules): string | undefined {
  if (jti === undefined && !needsId) return undefined;
  if (typeof jti === 'string' && jti !== '' && jti.length <= longestId) return jti;
  const came = jti === undefined ? 'no jti' : 'something else';
  throw fault(`jti: a text of 1 to ${longestId} characters`, came);
}

function scopeOf(scope: unknown): string | undefined {
  const texts = [scope].flat().filter((one) => typeof one === 'string');
  return texts.length === 0 ? undefined : texts.join(' ');
}

function fault(expected: string, came: string, isProven = true): AssertionFault {
  return new AssertionFault(expected, came, isProven);
}
