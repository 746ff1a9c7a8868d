// Owns one operation of two endpoints that share path and method, which OpenAPI has no words for.

import type { Schema } from './requests.ts';

interface Operation {
  readonly summary?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
}

interface Body {
  readonly required?: boolean;
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** An operation that takes the requests of both, with the name and the answers of the first. */
export function joined(one: Operation, other: Operation): Operation {
  const security = [...(one.security ?? []), ...(other.security ?? [])];
  const body = joinedBody(one.requestBody, other.requestBody);
  return {
    ...one,
    summary: `${one.summary}; ${other.summary}`,
    security: security.filter((way, index) => indexOf(security, way) === index),
    parameters: joinedParameters(one.parameters ?? [], other.parameters ?? []),
    ...(body && { requestBody: body }),
  };
}

function indexOf(ways: readonly object[], way: object): number {
  return ways.findIndex((known) => JSON.stringify(known) === JSON.stringify(way));
}

/** What only one of them reads cannot be required. */
function joinedParameters(
  some: readonly Parameter[],
  more: readonly Parameter[],
): readonly Parameter[] {
  const twinIn = (
    all: readonly Parameter[],
    { name, in: place }: Parameter,
  ): Parameter | undefined => all.find((one) => one.name === name && one.in === place);
  return [
    ...some.map((one) => ({
      ...one,
      required: one.required && twinIn(more, one)?.required === true,
    })),
    ...more
      .filter((one) => twinIn(some, one) === undefined)
      .map((one) => ({ ...one, required: false })),
  ];
}

function joinedBody(one: Body | undefined, other: Body | undefined): Body | undefined {
  const content = { ...one?.content };
  for (const [type, { schema }] of Object.entries(other?.content ?? {})) {
    const known = content[type]?.schema;
    content[type] = {
      schema: known === undefined ? schema : { oneOf: [...ways(known), ...ways(schema)] },
    };
  }
  const isRequired = one !== undefined && other !== undefined;
  return Object.keys(content).length === 0 ? undefined : { required: isRequired, content };
}

function ways(schema: Schema): readonly unknown[] {
  return Array.isArray(schema['oneOf']) ? schema['oneOf'] : [schema];
}
