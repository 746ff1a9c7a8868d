// Owns values that a login draws (`authorize.draws`): they stay with the code and the login as properties of
// the member, and later requests are held against them.

import { drawnProperty } from '../language/vocabularies.ts';
import { type Cause, describeText, endpointRule, ownCause } from '../oauth/cause.ts';
import type { Refusal } from '../oauth/failure.ts';
import type { Member } from '../oauth/member.ts';
import type { Programme } from '../programme/programme.ts';
import type { GrantRequest } from './authorization.ts';

/** The member with a new value for each name that the file has drawn. */
export function withDrawn({ draws }: Programme['login'], member: Member): Member {
  if (draws.size === 0) return member;
  const drawn = Array.from(draws, ([name, { draw }]) => [drawnProperty(name), draw()] as const);
  return { ...member, properties: { ...member.properties, ...Object.fromEntries(drawn) } };
}

/**
 * Refuses a request that does not repeat what was drawn at its login, where its endpoint reads that. A login
 * that began before the file had it drawn, or without a login page, has nothing to repeat.
 */
export function expectDrawn(
  { inputs, drawn, refuseMissing }: GrantRequest,
  member: Member | undefined,
  refused: (cause: Cause) => Refusal,
): void {
  for (const name of drawn) {
    const value = member?.properties?.[drawnProperty(name)];
    if (value === undefined) continue;
    const sent = inputs.get(name) ?? refuseMissing(name, inputs);
    if (sent === value) continue;
    const expected = `${name}: the value that its login drew`;
    throw refused(ownCause(endpointRule('inputs', name), expected, describeText(sent), name));
  }
}
