// Owns which grant a token request asks for: by the word of `grant_type`, by the inputs that came, or by saying
// nothing. What a file says must leave no request with two answers; src/rules/grant_choice.ts holds it to that.

import type { EndpointDefinition } from '../../language/input_schema.ts';
import { describeName, endpointRule, ownCause } from '../../oauth/cause.ts';
import type { Role } from '../../oauth/client.ts';
import { Refusal } from '../../oauth/failure.ts';
import { grantRows, type GrantType } from '../../oauth/grant.ts';
import { readsInput } from './grant_places.ts';
import { checkInput } from './input_checks.ts';
import type { Input, Inputs } from './inputs.ts';
import { isReadAlike } from './reading.ts';

/** A grant as one endpoint serves it. */
export interface EndpointGrant {
  readonly type: GrantType;
  /** The value of `grant_type` that asks for it. */
  readonly wireValue: string;
  /** The role that its clients need. */
  readonly role: Role;
}

export interface GrantChoice {
  /** The grant that a request asks for; undefined if it asks for none here, or for several. */
  readonly find: (inputs: Inputs) => EndpointGrant | undefined;
  /** The same; refuses a request that asks for none or several. */
  readonly choose: (inputs: Inputs) => EndpointGrant;
  /** The inputs that were read under a name that inputs of other grants have too: those of the grant stay. */
  readonly ownInputs: (inputs: Map<string, string>) => Inputs;
}

export function compileGrantChoice(
  { without_grant_type: otherwise }: EndpointDefinition,
  inputsHere: readonly Input[],
  grants: readonly EndpointGrant[],
): GrantChoice {
  const byWord = new Map(grants.map((grant) => [grant.wireValue, grant]));
  const word = inputsHere.find(({ role }) => role === 'grant_type');
  const [first] = byWord.values();
  const usual = byWord.size === 1 ? first : grants.find(({ type }) => type === otherwise);
  const byInputs = byWord.size > 1 && otherwise === 'inputs' ? compileByInputs(grants) : undefined;
  const offered = [...byWord.keys()].join(', ');
  const find = (inputs: Inputs): EndpointGrant | undefined => {
    const sent = inputs.get('grant_type');
    return sent === undefined ? (usual ?? byInputs?.(inputs)) : byWord.get(sent);
  };
  const isNeeded = word?.required === true || (usual === undefined && byInputs === undefined);
  const choose = (inputs: Inputs): EndpointGrant => {
    const sent = inputs.get('grant_type');
    if (word !== undefined && isNeeded && sent === undefined) checkInput(word, inputs, true);
    const grant = find(inputs);
    if (grant !== undefined) return grant;
    if (sent === undefined && byInputs !== undefined) refuseInputs(inputs, inputsHere, grants);
    const parameter = word?.name ?? 'grant_type';
    const came = sent === undefined ? 'none' : describeName(sent);
    const cause = ownCause(['grants'], `${parameter}: one of ${offered}`, came, parameter);
    throw new Refusal('unsupported_grant_type', { parameter, cause });
  };
  return { find, choose, ownInputs: compileOwnInputs(inputsHere, find) };
}

/** The grant whose inputs came: the one that needs none, if those of no other did. */
function compileByInputs(grants: readonly EndpointGrant[]): GrantChoice['find'] {
  const telling = grants.map((grant) => ({ grant, roles: grantRows[grant.type].needs }));
  const bare = telling.find(({ roles }) => roles.length === 0)?.grant;
  return (inputs) => {
    const [one, another] = telling.filter(({ roles }) => roles.some((role) => inputs.has(role)));
    return another === undefined ? (one?.grant ?? bare) : undefined;
  };
}

/** C-8: where `grant_type` is judged. */
function refuseInputs(
  inputs: Inputs,
  inputsHere: readonly Input[],
  grants: readonly EndpointGrant[],
): never {
  const nameOf = (role: string): string =>
    inputsHere.find((input) => input.role === role)?.name ?? role;
  const telling = grants.map(({ type }) => grantRows[type].needs);
  const all = telling.flat().map(nameOf);
  const [one, other] = telling.flatMap((roles) => roles.find((role) => inputs.has(role)) ?? []);
  const isMissing = one === undefined || other === undefined;
  const parameter = (isMissing ? all[0] : nameOf(other)) ?? 'grant_type';
  const came = isMissing ? 'none of them' : `${nameOf(one)} and ${parameter}`;
  const expected = `what one grant needs: ${all.join(', ')}`;
  const cause = ownCause(endpointRule('without_grant_type'), expected, came, parameter);
  throw new Refusal(isMissing ? 'missing_parameter' : 'invalid_parameter', { parameter, cause });
}

function compileOwnInputs(
  inputsHere: readonly Input[],
  find: GrantChoice['find'],
): GrantChoice['ownInputs'] {
  const shared = inputsHere.filter((input) =>
    inputsHere.some((other) => other.role !== input.role && isReadAlike(input, other)),
  );
  if (shared.length === 0) return (inputs) => inputs;
  return (inputs) => {
    const grant = find(inputs);
    for (const { role } of shared) {
      if (grant === undefined || !readsInput(grant.type, role)) inputs.delete(role);
    }
    return inputs;
  };
}
