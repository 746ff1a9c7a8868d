// Owns what an endpoint reads, as rows: methods, media types, the treatment of odd parameters, and inputs.

import type { EndpointDefinition } from '../../language/input_schema.ts';
import { present } from '../../lib/present.ts';
import type { RequestKind } from './grant_places.ts';
import type { Input } from './inputs.ts';
import { type BodyForm, typesOf } from './request_body.ts';

export interface Reading<Reason = Input['whenMissing']> extends Pick<
  EndpointDefinition,
  'path' | 'methods' | 'read' | 'root' | 'repeated' | 'unknown' | 'empty'
> {
  /** The types of a body that is read; empty if none is. */
  readonly mediaTypes: readonly (readonly [type: string, form: BodyForm])[];
  /** The kinds of request that the endpoint answers. */
  readonly kinds: readonly RequestKind[];
  readonly inputs: readonly Input<Reason>[];
}

export function compileReading<Reason>(
  endpoint: EndpointDefinition,
  inputs: readonly Input<Reason>[],
  kinds: readonly RequestKind[],
): Reading<Reason> {
  const { path, methods, root, repeated, unknown, empty, read } = endpoint;
  const isBodiless = read.every((place) => place === 'query') || kinds.includes('login');
  const types = isBodiless ? [] : [...typesOf(endpoint)];
  return {
    path,
    methods,
    read,
    mediaTypes: types.map(([type, { form }]) => [type, form]),
    ...present({ root }),
    repeated,
    unknown,
    empty,
    kinds,
    inputs,
  };
}
