// Owns the values of a client that inputs are compared with, and which of them a dialect compares.

import type { Comparison } from '../../language/input_schema.ts';
import { clientPropertyPrefix } from '../../language/vocabularies.ts';
import { type Client, propertyValues } from '../../oauth/client.ts';

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
export interface ComparedProperty<One> {
  /** Without `client.` in front. */
  readonly name: string;
  readonly input: One;
}

const otherValues: ReadonlySet<string> = new Set([
  ...Object.keys(fields),
  'programme.identifier',
  'client.api_key',
]);

export function comparedProperties<One extends { readonly must_equal?: Comparison }>(
  inputs: readonly One[],
): readonly ComparedProperty<One>[] {
  return inputs.flatMap((input) => {
    const { must_equal: comparison } = input;
    if (comparison === undefined || otherValues.has(comparison)) return [];
    return [{ name: comparison.slice(clientPropertyPrefix.length), input }];
  });
}
