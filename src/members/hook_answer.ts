// Owns reading a hook's answers, strictly by the contract.

import { present } from '../lib/present.ts';
import { parseStrictJson } from '../lib/strict_json.ts';
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
  const outcome = answer.get('outcome');
  if (outcome === 'match') {
    if (!answer.has('member')) throw new BrokenAnswer('a match without member');
    return { outcome, member: readMember(answer.get('member')) };
  }
  if (outcome !== 'no_match' && outcome !== 'blocked') {
    throw new BrokenAnswer('outcome is none of match, no_match and blocked');
  }
  if (answer.has('member')) throw new BrokenAnswer('a member beside an outcome that is no match');
  return { outcome };
}

/** Reads the body of an answer to /status; throws `BrokenAnswer`. */
export function readStatus(body: Uint8Array): HookStatus {
  const outcome = membersOf(parse(body), ['outcome'], []).get('outcome');
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

const wordForm = /^[ -~]{1,100}$/;
const numberForm = /^\d{1,24}$/;
const mostRoles = 50;

function readMember(value: unknown): Member {
  const member = membersOf(
    value,
    ['subject'],
    ['membership_number', 'level', 'roles', 'properties'],
  );
  const subject = textOf(member, 'subject', subjectForm) as Subject;
  const level = textOf(member, 'level', wordForm);
  const membershipNumber = textOf(member, 'membership_number', numberForm);
  checkRoles(member.get('roles'));
  const properties = readProperties(member.get('properties'));
  return present({ subject, level, membershipNumber, properties });
}

function readProperties(value: unknown): Member['properties'] {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BrokenAnswer('member.properties is no object');
  }
  const pairs: readonly (readonly [string, unknown])[] = Object.entries(value);
  const found = pairs.flatMap(([name, text]) =>
    propertyNameForm.test(name) && typeof text === 'string' && isPropertyValue(text)
      ? [[name, text] as const]
      : [],
  );
  if (found.length < pairs.length || found.length > propertyLimits.count) {
    throw new BrokenAnswer('member.properties does not look as it must');
  }
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** No dialect uses roles yet, but a malformed list still breaks the contract. */
function checkRoles(roles: unknown): void {
  if (roles === undefined) return;
  const isWord = (role: unknown): boolean => typeof role === 'string' && wordForm.test(role);
  if (!Array.isArray(roles) || roles.length > mostRoles || !roles.every(isWord)) {
    throw new BrokenAnswer('member.roles is no list of words');
  }
}

function textOf(
  members: ReadonlyMap<string, unknown>,
  name: string,
  form: RegExp,
): string | undefined {
  const value = members.get(name);
  if (value === undefined || (typeof value === 'string' && form.test(value))) return value;
  throw new BrokenAnswer(`member.${name} does not look as it must`);
}

/** The members of an object: all `needed` names, any `possible` names, and no others. */
function membersOf(
  value: unknown,
  needed: readonly string[],
  possible: readonly string[],
): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BrokenAnswer('an object is expected where there is none');
  }
  const members = new Map<string, unknown>(Object.entries(value));
  const missing = needed.find((name) => !members.has(name));
  if (missing !== undefined) throw new BrokenAnswer(`${missing} is missing`);
  if ([...members.keys()].some((name) => !needed.includes(name) && !possible.includes(name))) {
    throw new BrokenAnswer('it has a member that the contract does not know');
  }
  return members;
}
