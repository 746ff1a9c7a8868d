// Owns the values of a client that inputs are compared with, and which of them a dialect compares.

import { type Client, propertyValues } from '../../oauth/client.ts';
import type { Definition } from '../language/definition.ts';
import type { Comparison, EndpointDefinition, InputDefinition } from '../language/input_schema.ts';
import { clientPropertyPrefix } from '../language/vocabularies.ts';

/** A request's client, or what all clients with its API key have in common. */
export type Caller = Partial<Pick<Client, 'id' | 'businessContext' | 'partnerId' | 'properties'>>;

const fields: Readonly<Record<string, (caller: Caller) => string | undefined>> = {
  'client.id': ({ id }) => id,
  'client.business_context': ({ businessContext }) => businessContext,
  'client.partner_id': ({ partnerId }) => partnerId,
};

/** The values that a comparison takes; only a property can have several. */
export function heldValues(comparison: Comparison): (caller: Caller) => readonly string[] {
  const field = fields[comparison];
  if (field === undefined) {
    const name = comparison.slice(clientPropertyPrefix.length);
    return ({ properties = {} }) => propertyValues(properties, name);
  }
  return (caller) => {
    const value = field(caller);
    return value === undefined ? [] : [value];
  };
}

/** An input that is compared with a property of the client's registration. */
export interface ComparedProperty {
  /** Without `client.` in front. */
  readonly name: string;
  readonly role: string;
  readonly input: InputDefinition;
}

const apart: ReadonlySet<string> = new Set([
  ...Object.keys(fields),
  'programme.identifier',
  'client.api_key',
]);

export function comparedProperties({
  authorize,
  token_endpoints: endpoints,
}: Pick<Definition, 'authorize' | 'token_endpoints'>): readonly ComparedProperty[] {
  return inputsIn([authorize.endpoint, ...Object.values(endpoints)]).flatMap(([role, input]) => {
    const { must_equal: comparison } = input;
    if (comparison === undefined || apart.has(comparison)) return [];
    return [{ name: comparison.slice(clientPropertyPrefix.length), role, input }];
  });
}

/** Every input of the endpoints, with the name that the engine has for it. */
export function inputsIn(
  endpoints: readonly EndpointDefinition[],
): readonly (readonly [role: string, input: InputDefinition])[] {
  return endpoints.flatMap(({ inputs }) => Object.entries(inputs));
}
