// Owns reading a hook's answers, strictly by the contract.

import { present } from '../lib/present.ts';
import {
  isMembers,
  MalformedMember,
  type MemberForm,
  type Members,
  neededMember,
  optionalMember,
  parseStrictJson,
  text,
} from '../lib/strict_json.ts';
import {
  isPropertyValue,
  type Member,
  propertyLimits,
  propertyNameForm,
  type Subject,
  subjectForm,
} from '../oauth/member.ts';

export type HookVerification =
  | { readonly outcome: 'match'; readonly member: Member }
  | { readonly outcome: 'no_match' }
  | { readonly outcome: 'blocked' };

export type HookStatus = 'active' | 'inactive';

/** An answer that breaks the contract. The message names the fault and quotes nothing. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer';
}

/** Reads the body of an answer to /verify; throws `BrokenAnswer`. */
export function readVerification(body: Uint8Array): HookVerification {
  const answer = membersOf(parse(body), ['outcome'], ['member']);
  const { outcome, member } = answer;
  if (outcome === 'match') {
    if (!Object.hasOwn(answer, 'member')) throw new BrokenAnswer('a match without member');
    return { outcome, member: readMember(member) };
  }
  if (outcome !== 'no_match' && outcome !== 'blocked') {
    throw new BrokenAnswer('outcome is none of match, no_match and blocked');
  }
  if (Object.hasOwn(answer, 'member'))
    throw new BrokenAnswer('a member beside an outcome that is no match');
  return { outcome };
}

/** Reads the body of an answer to /status; throws `BrokenAnswer`. */
export function readStatus(body: Uint8Array): HookStatus {
  const { outcome } = membersOf(parse(body), ['outcome'], []);
  if (outcome === 'active' || outcome === 'inactive') return outcome;
  throw new BrokenAnswer('outcome is none of active and inactive');
}

function parse(body: Uint8Array): unknown {
  try {
    return parseStrictJson(body);
  } catch (error) {
    throw new BrokenAnswer(`the body is refused: ${(error as Error).message}`);
  }
}

const mostRoles = 50;

const word = formed(/^[ -~]{1,100}$/);

/** No dialect uses roles yet, but a malformed list still breaks the contract. */
const roles: MemberForm<readonly string[]> = {
  words: 'a list of words',
  fits: (value): value is readonly string[] =>
    Array.isArray(value) && value.length <= mostRoles && value.every(word.fits),
};

const properties: MemberForm<Readonly<Record<string, string>>> = {
  words: 'an object of texts',
  fits: (value): value is Readonly<Record<string, string>> =>
    isMembers(value) &&
    Object.keys(value).length <= propertyLimits.count &&
    Object.entries(value).every(
      ([name, held]) => propertyNameForm.test(name) && text.fits(held) && isPropertyValue(held),
    ),
};

function readMember(value: unknown): Member {
  const names = ['membership_number', 'level', 'roles', 'properties'];
  const member = membersOf(value, ['subject'], names);
  try {
    optionalMember(member, 'roles', roles);
    const held = optionalMember(member, 'properties', properties) ?? {};
    return present({
      subject: neededMember(member, 'subject', formed(subjectForm)) as Subject,
      level: optionalMember(member, 'level', word),
      membershipNumber: optionalMember(member, 'membership_number', formed(/^\d{1,24}$/)),
      properties: Object.keys(held).length === 0 ? undefined : held,
    });
  } catch (error) {
    if (!(error instanceof MalformedMember)) throw error;
    throw new BrokenAnswer(`member.${error.message}`);
  }
}

function formed(form: RegExp): MemberForm<string> {
  return {
    words: 'a text as the contract has it',
    fits: (value): value is string => typeof value === 'string' && form.test(value),
  };
}

/** The members of an object: all `needed` names, any `possible` names, and no others. */
function membersOf(
  value: unknown,
  needed: readonly string[],
  possible: readonly string[],
): Members {
  if (!isMembers(value)) throw new BrokenAnswer('an object is expected where there is none');
  const names = Object.keys(value);
  const missing = needed.find((name) => !names.includes(name));
  if (missing !== undefined) throw new BrokenAnswer(`${missing} is missing`);
  if (names.some((name) => !needed.includes(name) && !possible.includes(name))) {
    throw new BrokenAnswer('it has a member that the contract does not know');
  }
  return value;
}
