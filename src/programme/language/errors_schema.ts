// Owns what a file may say of errors: the layout of a body and what each failure reason becomes.

import * as v from 'valibot';

import { type FailureReason, failureReasons } from '../../oauth/failure.ts';
import {
  answerHeadersSchema,
  contentTypeSchema,
  listOf,
  textSchema,
  wireNameSchema,
} from '../../schema/scalars.ts';
import { type EncodingName, encodings, withContentType } from '../answers/encoding.ts';
import {
  type FieldTree,
  fieldSchemasOf,
  type NameCase,
  nameCaseSchema,
  type Vocabulary,
} from './value_tree.ts';

/** `extra.title` names what a reason has under `extra: { title: … }`. */
export const extraPrefix = 'extra.';

/** Values an error body can hold. */
export const errorVocabulary: Vocabulary = {
  answer: 'error',
  kinds: {
    error: 'text',
    error_description: 'text',
    error_code: 'text',
    parameter: 'text',
    scope: 'scope',
    status: 'text',
    answered_at: 'instant',
    request_id: 'text',
  },
  prefixes: [extraPrefix],
  occasions: failureReasons,
};

export interface ErrorMapping {
  readonly status: number;
  readonly error: string;
  /** `{parameter}` stands for the wire name of the parameter or header at fault. */
  readonly error_description?: string;
  readonly error_code?: string | number;
  /** More that the dialect says of this reason, by names of its own. */
  readonly extra: Readonly<Record<string, string | number>>;
  /** Send `WWW-Authenticate` with this scheme. */
  readonly challenge?: 'basic' | 'bearer';
  readonly headers: Readonly<Record<string, string>>;
}

export interface ErrorsDefinition {
  readonly fields: FieldTree;
  readonly encoding: EncodingName;
  readonly content_type: string;
  readonly name_case: NameCase;
  readonly text_case: NameCase;
  /** How `{parameter}` is written: as sent, or with separators turned into spaces (P-10). */
  readonly parameter_names: 'as_sent' | 'spaced';
  readonly reasons: Readonly<Record<FailureReason, ErrorMapping>>;
}

export const failureReasonSchema: v.GenericSchema<unknown, FailureReason> = v.pipe(
  v.picklist(failureReasons),
  v.title('failure reason'),
);

const mappingEntries = {
  status: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(200),
    v.maxValue(599),
    v.check(
      (status) => status >= 400 || status <= 203,
      'expected 200 to 203 or 400 to 599: other statuses have no body or lead elsewhere',
    ),
  ),
  error: textSchema,
  error_description: v.pipe(
    textSchema,
    v.regex(
      /^(?:[^{}]|\{parameter\})*$/,
      'the only name in braces that a description can hold is {parameter}',
    ),
  ),
  error_code: v.union([v.string(), v.number()]),
  extra: v.record(wireNameSchema, v.union([v.string(), v.number()])),
  challenge: v.picklist(['basic', 'bearer']),
  headers: answerHeadersSchema,
} as const;

const mappingSchema: v.GenericSchema<unknown, ErrorMapping> = v.pipe(
  v.strictObject({
    status: mappingEntries.status,
    error: mappingEntries.error,
    error_description: v.exactOptional(mappingEntries.error_description),
    error_code: v.exactOptional(mappingEntries.error_code),
    extra: v.optional(mappingEntries.extra, {}),
    challenge: v.exactOptional(mappingEntries.challenge),
    headers: v.optional(mappingEntries.headers, {}),
  }),
  v.title('error answer'),
);

/** What is said of many reasons at once; a null takes away what the variant says. */
const groupSchema = v.pipe(
  v.strictObject({
    reasons: v.union([
      v.literal('all'),
      v.pipe(listOf(failureReasonSchema), v.nonEmpty('expected at least one reason')),
    ]),
    status: v.exactOptional(mappingEntries.status),
    error: v.exactOptional(mappingEntries.error),
    error_description: v.exactOptional(v.nullable(mappingEntries.error_description)),
    error_code: v.exactOptional(v.nullable(mappingEntries.error_code)),
    extra: v.exactOptional(v.nullable(mappingEntries.extra)),
    challenge: v.exactOptional(v.nullable(mappingEntries.challenge)),
    headers: v.exactOptional(v.nullable(mappingEntries.headers)),
  }),
  v.title('error group'),
);

const reasonEntries = Object.fromEntries(
  failureReasons.map((reason) => [reason, mappingSchema]),
) as Record<FailureReason, typeof mappingSchema>;

export const errorsSchema: v.GenericSchema<unknown, ErrorsDefinition> = v.pipe(
  v.strictObject({
    fields: fieldSchemasOf(errorVocabulary).tree,
    encoding: v.optional(v.picklist(encodings), 'json'),
    content_type: v.exactOptional(contentTypeSchema),
    name_case: v.optional(nameCaseSchema, 'as_written'),
    text_case: v.optional(nameCaseSchema, 'as_written'),
    parameter_names: v.optional(v.picklist(['as_sent', 'spaced']), 'as_sent'),
    groups: v.exactOptional(v.array(groupSchema)),
    reasons: v.strictObject(reasonEntries),
  }),
  // Loading has written them out under `reasons` (error_groups.ts).
  v.transform(withoutGroups),
  v.transform(withContentType),
);

function withoutGroups<Errors extends { readonly groups?: unknown }>(
  errors: Errors,
): Omit<Errors, 'groups'> {
  const { groups: _, ...rest } = errors;
  return rest;
}
