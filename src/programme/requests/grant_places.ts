// Owns the relation of token endpoints and grants: each may have several of the other.

import type { Definition } from '../../language/definition.ts';
import type { EndpointDefinition } from '../../language/input_schema.ts';
import { grantInputs, type GrantType, grantTypes, inputsOfGrants } from '../../oauth/grant.ts';

/** What a request asks for: tokens by a grant, a login, or an answer about a token or a call. */
export type RequestKind = GrantType | 'login' | 'management' | 'call';

export function isGrant(kind: RequestKind): kind is GrantType {
  return kind !== 'login' && kind !== 'management' && kind !== 'call';
}

type Places = Pick<Definition, 'grants' | 'token_endpoints'>;

/** Whether a request for the grant may bring the input: inputs of other grants are not read. */
export function readsInput(type: GrantType, role: string): boolean {
  const { needs, takes } = grantInputs[type];
  return !inputsOfGrants.has(role) || needs.includes(role) || takes.includes(role);
}

export function needsInput(type: GrantType, role: string): boolean {
  return grantInputs[type].needs.includes(role);
}

/** The grants that the file turns on. */
export function offeredGrants({ grants }: Pick<Definition, 'grants'>): readonly GrantType[] {
  return grantTypes.filter((type) => grants[type] !== undefined);
}

export function grantsAt({ grants }: Places, endpoint: string): readonly GrantType[] {
  return offeredGrants({ grants }).filter((type) => grants[type]?.endpoint.includes(endpoint));
}

/** The declared endpoints of a grant, in the order of the file. */
export function endpointsOf(
  { grants, token_endpoints: declared }: Places,
  type: GrantType,
): readonly (readonly [name: string, endpoint: EndpointDefinition])[] {
  return (grants[type]?.endpoint ?? []).flatMap((name) => {
    // A name such as `constructor` is no declaration.
    const endpoint = Object.hasOwn(declared, name) ? declared[name] : undefined;
    return endpoint === undefined ? [] : [[name, endpoint] as const];
  });
}
