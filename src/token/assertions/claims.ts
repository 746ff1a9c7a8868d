// Owns the claims of an assertion (RFC 7523 3): which are good now, and why others are not.

import { type Instant, instant, longestTolerance, type Milliseconds } from '../../lib/clock.ts';
import { present } from '../../lib/present.ts';
import {
  MalformedMember,
  type MemberForm,
  type Members,
  optionalMember,
  text,
  textOrTexts,
} from '../../lib/strict_json.ts';
import type { ProofFault } from '../../oauth/proofs/proof_faults.ts';

/** Claims whose names were read. */
export interface NamedClaims {
  readonly claims: Members;
  readonly issuer?: string;
  readonly subject?: string;
}

/** What the claims of an assertion say. */
export interface ProvenClaims {
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
  readonly isAudience: (text: string) => boolean;
  /** The same in words. */
  readonly audiences: readonly string[];
  /** Whether an assertion without `aud` is taken. */
  readonly takesNoAudience: boolean;
}

/** Why an assertion is refused, in words that repeat nothing of it. */
export class AssertionFault extends Error {
  override readonly name = 'AssertionFault';
  readonly expected: string;
  /** Whether the signature was right: then the client itself may be told. */
  readonly isProven: boolean;
  readonly fault: ProofFault;

  constructor(fault: ProofFault, expected: string, came: string, isProven: boolean) {
    super(came);
    this.fault = fault;
    this.expected = expected;
    this.isProven = isProven;
  }
}

export function fault(
  name: ProofFault,
  expected: string,
  came: string,
  isProven = true,
): AssertionFault {
  return new AssertionFault(name, expected, came, isProven);
}

/** The fault of a member that is not as it must be; throws any other error. */
export function malformed(error: unknown, isProven: boolean): AssertionFault {
  if (error instanceof MalformedMember) {
    return fault('assertion_member', error.message, 'something else', isProven);
  }
  throw error;
}

/** @throws AssertionFault, and MalformedMember for a claim that is not as it must be */
export function readClaims(
  { claims, issuer, subject }: NamedClaims,
  rules: AssertionRules,
  expected: ExpectedClaims,
  now: Instant,
): ProvenClaims {
  if (issuer === undefined || !expected.issuers.has(issuer)) {
    const came = issuer === undefined ? 'no iss' : 'another one';
    throw fault('assertion_issuer', 'iss: what is registered for the client', came);
  }
  expectAudience(claims, expected);
  const times = expectTimes(claims, rules, now);
  const id = optionalMember(claims, 'jti', tokenId);
  if (id === undefined && rules.needsId)
    throw fault('assertion_id', `jti: ${tokenId.words}`, 'no jti');
  const scope = optionalMember(claims, 'scope', textOrTexts);
  return present({ issuer, subject, scope: scope && [scope].flat().join(' '), id, ...times });
}

/** RFC 7523 3, item 3. */
function expectAudience(
  claims: Members,
  { audiences, isAudience, takesNoAudience }: ExpectedClaims,
): void {
  const audience = optionalMember(claims, 'aud', textOrTexts);
  if (audience === undefined ? takesNoAudience : [audience].flat().some(isAudience)) return;
  const came = audience === undefined ? 'no aud' : 'another one';
  throw fault('assertion_audience', `aud: ${audiences.join(' or ')}`, came);
}

/** RFC 7523 3, items 4 to 6; the time within which the assertion is taken. */
function expectTimes(
  claims: Members,
  { longest, tolerance }: AssertionRules,
  now: Instant,
): Pick<ProvenClaims, 'since' | 'forgetAt'> {
  const timeOf = (name: string): number | undefined => {
    const seconds = optionalMember(claims, name, time);
    return seconds === undefined ? undefined : seconds * 1000;
  };
  const end = timeOf('exp');
  if (end === undefined) throw fault('assertion_no_end', 'exp: when it ends', 'no exp');
  if (end + tolerance <= now)
    throw fault('assertion_ended', 'one that has not ended', 'one whose exp has passed');
  if (end - tolerance > now + longest) {
    const name = end > laterThanAny ? 'assertion_milliseconds' : 'assertion_far_end';
    const came =
      name === 'assertion_far_end' ? 'one with a later exp' : 'one with exp in milliseconds';
    throw fault(name, `one that ends within ${longest / 1000} s`, came);
  }
  const issued = timeOf('iat');
  for (const [name, begun] of [
    ['iat', issued],
    ['nbf', timeOf('nbf')],
  ] as const) {
    if (begun !== undefined && begun - tolerance > now) {
      throw fault('assertion_early', 'one that is good by now', `one whose ${name} is yet to come`);
    }
  }
  // Not the later of both: an earlier file may have taken it earlier than this `longest` does.
  const since = (issued ?? end - longest) - tolerance;
  return { since: instant(since), forgetAt: instant(end + longestTolerance) };
}

/** The year 5138: a claim of today in milliseconds is later. */
const laterThanAny = 1e14;

/** RFC 7519 2. */
const time: MemberForm<number> = {
  words: 'seconds since 1970, as a number',
  fits: (value): value is number => typeof value === 'number' && value >= 0 && value < 2 ** 43,
};

const longestId = 255;

const tokenId: MemberForm<string> = {
  words: `a text of 1 to ${longestId} characters`,
  fits: (value): value is string => text.fits(value) && value.length <= longestId,
};
