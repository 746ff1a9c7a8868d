// Owns the schema of `errors`: the layout of a body, and the answer to each failure reason.

import * as v from 'valibot';

import {
  type FailureReason,
  failureReasons,
  reasons,
  reasonsByCode,
  usualAnswer,
} from '../oauth/reasons.ts';
import { key, listed, named, type Output } from '../schema/notes.ts';
import {
  answerHeadersSchema,
  contentTypeSchema,
  linesSchema,
  oneOrMore,
  openingSchema,
  textSchema,
  wireNameSchema,
} from '../schema/scalars.ts';
import { encodings, openingWords, textBeforeAnswers, withContentType } from './encoding.ts';
import { fieldSchemasOf } from './field_schema.ts';
import { nameCases } from './value_tree.ts';
import { errorVocabulary } from './vocabularies.ts';

export const failureReasonSchema = v.pipe(
  v.picklist(failureReasons),
  named(
    'failure reason',
    'One of the [failures of a token request](#failures-of-a-token-request).',
  ),
);

const statusSchema = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(200),
  v.maxValue(599),
  v.check(
    (status) => status >= 400 || status <= 203,
    'expected 200 to 203 or 400 to 599: other statuses have no body or lead elsewhere',
  ),
);

const descriptionSchema = v.pipe(
  linesSchema,
  v.regex(
    /^(?:[^{}]|\{parameter\})*$/,
    'the only name in braces that a description can hold is {parameter}',
  ),
);

const codeSchema = v.union([v.string(), v.number()]);
const extraSchema = v.record(wireNameSchema, codeSchema);
const challengeSchema = v.picklist(['basic', 'bearer']);

const mappingSchema = v.pipe(
  v.strictObject({
    status: key(v.exactOptional(statusSchema), {
      text: 'The HTTP status. `check` warns of a failure that is answered with a status of success.',
      example: '403',
      otherwise: 'that of the usual answer',
    }),
    error: key(v.exactOptional(textSchema), {
      text: 'The error code, for the value `error` in `errors.fields` (RFC 6749 5.2). If it is left out, so are the description and the challenge: all three are those of the usual answer, unless this answer has its own.',
      example: 'invalid_grant',
      otherwise: 'that of the usual answer',
    }),
    error_description: key(v.exactOptional(descriptionSchema), {
      text: 'The text for people, for the value `error_description`. `{parameter}` stands for the wire name at fault. Nothing else can be in braces.',
      example: '"Invalid parameter: {parameter}"',
      otherwise: 'none',
    }),
    error_code: key(v.exactOptional(codeSchema), {
      text: "A number or code of the dialect's own, for the value `error_code`.",
      example: '"E-1042"',
      otherwise: 'none',
    }),
    extra: key(v.optional(extraSchema, {}), {
      text: 'More that the dialect says of this reason, by names of its own: `extra.title` in `errors.fields` stands for what is under `title` here. If a reason does not have it, it is left out.',
      example: '{ title: Bad client, help: "https://help.example/7" }',
    }),
    challenge: key(v.exactOptional(challengeSchema), {
      text: 'The header `WWW-Authenticate` of the answer. `basic`: `Basic realm="…"`, as RFC 6749 5.2 asks if a client came with Basic (G-17). `bearer`: `Bearer`, with `error="…"` if RFC 6750 3.1 has one for the reason (G-13).',
      example: 'basic',
      otherwise: 'no challenge',
    }),
    headers: key(v.optional(answerHeadersSchema, {}), {
      text: 'Headers of this answer, beside those that Jetway sets itself.',
      example: '{ X-Error: invalid-code }',
    }),
  }),
  named('error answer'),
);

/** What a group can set, and remove from the variant with a null. */
const removable = Object.fromEntries(
  (
    [
      ['error_description', descriptionSchema, 'Their text', 'null'],
      ['error_code', codeSchema, "Their code of the dialect's own", '100'],
      ['extra', extraSchema, 'More of theirs', '{ title: Bad client }'],
      ['challenge', challengeSchema, 'Their challenge', 'null'],
      ['headers', answerHeadersSchema, 'Their headers', '{ X-Failed: "yes" }'],
    ] as const
  ).map(([name, entry, what, example]) => [
    name,
    key(v.exactOptional(v.nullable<v.GenericSchema>(entry)), {
      text: `${what}; null for none.`,
      example,
      otherwise: 'as the variant has it',
    }),
  ]),
);

/** Settings for many reasons at once. */
const groupSchema = v.pipe(
  v.strictObject({
    reasons: key(
      v.union([
        v.literal('all'),
        oneOrMore(v.picklist([...failureReasons, ...Object.keys(reasonsByCode)])),
      ]),
      {
        text: 'The [failure reasons](#failures-of-a-token-request) of this group, one of them, or `all`. An error code of RFC 6749 5.2 stands for its reasons: `invalid_grant` for those of codes, refresh tokens and passwords; also `invalid_request`, `invalid_client` and `unauthorized_client`.',
        example: '[invalid_code, invalid_refresh_token]',
      },
    ),
    status: key(v.exactOptional(statusSchema), {
      text: 'Their status. `all` does not count for `missing_api_key`, `invalid_api_key`, `missing_token`, `invalid_token` and `insufficient_scope`. These keep 401 and 403 unless a group names them, since a gateway takes any other status for an outage. `check` warns of one.',
      example: '400',
      otherwise: 'as the variant has it',
    }),
    error: key(v.exactOptional(textSchema), {
      text: 'Their error code.',
      example: 'FAILED',
      otherwise: 'as the variant has it',
    }),
    ...removable,
  }),
  named('error group'),
);

/** The answer to a reason: with an `error` of its own as it is written, else laid over the usual one. */
function answerTo(reason: FailureReason) {
  const usual = usualAnswer(reason);
  const whole = v.transform((written: v.InferOutput<typeof mappingSchema>) => {
    const { status = usual.status, error } = written;
    return error === undefined ? { ...usual, ...written } : { ...written, status, error };
  });
  return v.pipe(mappingSchema, whole);
}

/** Younger than files that map every reason themselves: there it is as an invalid code. */
const reasonsSchema = v.pipe(
  v.strictObject({
    ...listed(reasons, (reason) => v.optional(answerTo(reason), usualAnswer(reason))),
    invalid_assertion: {
      ...v.exactOptional(answerTo('invalid_assertion')),
      docs: { text: reasons.invalid_assertion.text, otherwise: 'as `invalid_code`' },
    },
  }),
  v.transform((mapped) => ({ invalid_assertion: mapped.invalid_code, ...mapped })),
);

export const errorsSchema = v.pipe(
  v.strictObject({
    fields: key(fieldSchemasOf(errorVocabulary).tree, {
      text: 'The members of the body, in order, as [fields](#fields-of-an-answer) of the [named values](#named-values) of errors. What a failure does not have is left out.',
      example: '{ error_description: null, message: error_description }',
    }),
    encoding: key(v.optional(v.picklist(encodings), 'json'), {
      text: 'The form of their bodies, as `token_response.encoding`.',
      example: 'form',
    }),
    content_type: key(v.exactOptional(contentTypeSchema), {
      text: 'Their `Content-Type`, as `token_response.content_type`.',
      example: 'application/problem+json',
      otherwise: 'that of the encoding',
    }),
    before: key(v.exactOptional(openingSchema), {
      text: 'A text that stands before their JSON, as `token_response.before`.',
      example: '")]}\',\\n"',
      otherwise: 'nothing',
      departs: [textBeforeAnswers],
      tells: { page: openingWords('The body of each refusal') },
    }),
    name_case: key(v.optional(v.picklist(nameCases), 'as_written'), {
      text: 'The case of all names in the body (P-10).',
      example: 'lower',
    }),
    text_case: key(v.optional(v.picklist(nameCases), 'as_written'), {
      text: 'The case of the texts `error` and `error_description` (P-10).',
      example: 'upper',
    }),
    parameter_names: key(v.optional(v.picklist(['as_sent', 'spaced']), 'as_sent'), {
      text: 'How `{parameter}` is written: `as_sent`, or `spaced`, with spaces in place of separators: `grant type` (P-10).',
      example: 'spaced',
    }),
    groups: key(v.exactOptional(v.array(groupSchema)), {
      text: 'What is the same for many reasons. Groups are laid over the variant in the order of the list. `errors.reasons` of the same file win over all groups.',
      example: '[{ reasons: all, status: 400 }, { reasons: [throttled], status: 429 }]',
      otherwise: 'none',
    }),
    reasons: key(v.optional(reasonsSchema, {}), {
      text: 'What each failure reason becomes, if it is not the usual answer. The list is [below](#failures-of-a-token-request).',
      example: '{ throttled: { status: 503, error: slow_down } }',
    }),
  }),
  // Loading has copied the groups into `reasons` (error_groups.ts).
  v.transform((errors) => {
    const { groups: _, ...rest } = errors;
    return rest;
  }),
  v.transform(withContentType),
);

export type ErrorsDefinition = Output<typeof errorsSchema>;
export type ErrorMapping = Output<ReturnType<typeof answerTo>>;
