// Owns what a file may say of an endpoint's inputs: where each is read and what it must look like.

import * as v from 'valibot';

import type { FailureReason } from '../../oauth/failure.ts';
import {
  contentTypeSchema,
  endpointPathSchema,
  headerNameSchema,
  listOf,
  oneOrMore,
  wireNameSchema,
} from '../../schema/scalars.ts';
import { failureReasonSchema } from './errors_schema.ts';
import { characterClassSchema, lengthSchema, type ValueShape } from './value_shape.ts';

export type Place = 'query' | 'form' | 'json' | 'header';
/** Where an endpoint reads parameters: the query, or a body of either form. */
export const parameterPlaces = ['query', 'form', 'json'] as const;
export type ParameterPlace = (typeof parameterPlaces)[number];

/** What an input can be held against. */
export const comparisons = [
  'programme.identifier',
  'client.id',
  'client.business_context',
  'client.partner_id',
  'client.api_key',
] as const;
export type Comparison = (typeof comparisons)[number];

/** Forms that are more than characters and length. */
export const inputFormats = ['accepts_json', 'ip_list'] as const;
export type InputFormat = (typeof inputFormats)[number];

export interface InputDefinition extends ValueShape {
  /** Wire name; the input's own name where it is left out. */
  readonly name?: string;
  /** Where it is read; the endpoint's `read` where it is left out. */
  readonly in?: Place;
  /** Objects that a member of a JSON body lies in, outermost first. */
  readonly within?: readonly string[];
  /** A word before the value in a header, such as Bearer; it is no part of the value. */
  readonly scheme?: string;
  readonly required: boolean;
  readonly format?: InputFormat;
  readonly allowed?: readonly string[];
  readonly must_equal?: Comparison;
  readonly when_missing?: FailureReason;
  readonly when_invalid?: FailureReason;
  readonly when_unequal?: FailureReason;
}

export interface EndpointDefinition {
  readonly path: string;
  readonly methods: readonly ('GET' | 'POST')[];
  /** Each input is looked for in all of these. */
  readonly read: readonly ParameterPlace[];
  /** What a body may say it is, besides the types that its form has in any case. */
  readonly media_types: readonly string[];
  readonly repeated: 'refuse' | 'first' | 'last';
  readonly unknown: 'ignore' | 'refuse';
  readonly empty: 'missing' | 'value';
  readonly inputs: Readonly<Record<string, InputDefinition>>;
}

/** Where an input of an endpoint is looked for. */
export function placesOf(input: InputDefinition, endpoint: EndpointDefinition): readonly Place[] {
  return input.in === undefined ? endpoint.read : [input.in];
}

const inputSchema: v.GenericSchema<unknown, InputDefinition> = v.pipe(
  v.strictObject({
    name: v.exactOptional(wireNameSchema),
    in: v.exactOptional(v.picklist(['query', 'form', 'json', 'header'])),
    within: v.exactOptional(
      v.pipe(v.array(wireNameSchema), v.nonEmpty('expected the name of at least one object')),
    ),
    scheme: v.exactOptional(
      v.pipe(v.string(), v.regex(/^[A-Za-z][A-Za-z0-9-]{0,30}$/, 'expected a word such as Bearer')),
    ),
    required: v.optional(v.boolean(), false),
    prefix: v.exactOptional(v.string()),
    characters: v.exactOptional(characterClassSchema),
    length: v.exactOptional(lengthSchema),
    format: v.exactOptional(v.picklist(inputFormats)),
    allowed: v.exactOptional(
      v.pipe(listOf(v.string()), v.nonEmpty('expected at least one value that is taken')),
    ),
    must_equal: v.exactOptional(v.picklist(comparisons)),
    when_missing: v.exactOptional(failureReasonSchema),
    when_invalid: v.exactOptional(failureReasonSchema),
    when_unequal: v.exactOptional(failureReasonSchema),
  }),
  v.check(
    (input) =>
      input.in !== 'header' || input.name === undefined || v.is(headerNameSchema, input.name),
    'the name is not one a header can have',
  ),
  v.check(
    (input) => input.scheme === undefined || input.in === 'header',
    'only a header has a scheme before its value: add in: header',
  ),
  v.title('input'),
);

const roleNameSchema = v.pipe(
  v.string(),
  v.regex(/^[a-z][a-z0-9_]{0,49}$/, 'expected a name in snake_case'),
  v.title('input name'),
);

/** Entries shared by every endpoint that reads parameters. */
export const endpointSchema: v.GenericSchema<unknown, EndpointDefinition> = v.pipe(
  v.strictObject({
    path: endpointPathSchema,
    methods: v.pipe(
      listOf(v.picklist(['GET', 'POST'])),
      v.nonEmpty('expected at least one method'),
    ),
    read: v.optional(oneOrMore(v.picklist(parameterPlaces)), 'form'),
    media_types: v.optional(listOf(contentTypeSchema), []),
    repeated: v.optional(v.picklist(['refuse', 'first', 'last']), 'refuse'),
    unknown: v.optional(v.picklist(['ignore', 'refuse']), 'ignore'),
    empty: v.optional(v.picklist(['missing', 'value']), 'missing'),
    inputs: v.record(roleNameSchema, inputSchema),
  }),
  v.check(
    (endpoint) => endpoint.read.includes('query') || !endpoint.methods.includes('GET'),
    'an endpoint that answers GET reads its parameters from the query: set read to query, or to a list with it',
  ),
  v.title('endpoint'),
);
