// Owns the texts on the keys of error answers.

import type { KeyDocs } from './key_doc.ts';

export const errorDocs: KeyDocs = {
  'error_answer.status': {
    text: 'The HTTP status. `check` warns where a failure is answered with a status of success.',
    example: '403',
  },
  'error_answer.error': {
    text: 'The error code, for the value `error` in `errors.fields` (RFC 6749 5.2).',
    example: 'invalid_grant',
  },
  'error_answer.error_description': {
    text: 'The text for people, for the value `error_description`. `{parameter}` stands for the wire name at fault; nothing else can be in braces.',
    example: '"Invalid parameter: {parameter}"',
    otherwise: 'none',
  },
  'error_answer.error_code': {
    text: "A number or code of the dialect's own, for the value `error_code`.",
    example: '"E-1042"',
    otherwise: 'none',
  },
  'error_answer.extra': {
    text: 'More that the dialect says of this reason, by names of its own: `extra.title` in `errors.fields` stands for what is under `title` here. What a reason does not have is left out.',
    example: '{ title: Bad client, help: "https://help.example/7" }',
  },
  'error_answer.challenge': {
    text: '`basic` sends `WWW-Authenticate: Basic realm="…"` along, as RFC 6749 5.2 asks where a client came with Basic (G-17); `bearer` sends `WWW-Authenticate: Bearer`, with `error="…"` where RFC 6750 3.1 has one for the reason (G-13).',
    example: 'basic',
    otherwise: 'no challenge',
  },
  'error_answer.headers': {
    text: 'Headers of this answer, beside those that Jetway sets itself.',
    example: '{ X-Error: invalid-code }',
  },

  'error_group.reasons': {
    text: 'The failure reasons that this group speaks of, or `all`.',
    example: '[invalid_code, invalid_refresh_token]',
  },
  'error_group.status': {
    text: 'Their status. With `all` it is not that of `missing_api_key`, `invalid_api_key`, `missing_token`, `invalid_token` and `insufficient_scope`, which keep 401 and 403 unless they are named: a gateway takes any other status for an outage. `check` warns of one.',
    example: '400',
    otherwise: 'as the variant has it',
  },
  'error_group.error': {
    text: 'Their error code.',
    example: 'FAILED',
    otherwise: 'as the variant has it',
  },
  'error_group.error_description': {
    text: 'Their text; null for none.',
    example: 'null',
    otherwise: 'as the variant has it',
  },
  'error_group.error_code': {
    text: "Their code of the dialect's own; null for none.",
    example: '100',
    otherwise: 'as the variant has it',
  },
  'error_group.extra': {
    text: 'More of theirs; null for none.',
    example: '{ title: Bad client }',
    otherwise: 'as the variant has it',
  },
  'error_group.challenge': {
    text: 'Their challenge; null for none.',
    example: 'null',
    otherwise: 'as the variant has it',
  },
  'error_group.headers': {
    text: 'Their headers; null for none.',
    example: '{ X-Failed: "yes" }',
    otherwise: 'as the variant has it',
  },

  errors: {
    text: 'The answers to token requests that fail. They always say `Cache-Control: no-store`; login requests that fail have `authorize.failures`.',
    example: '{ text_case: upper }',
  },
  'errors.fields': {
    text: 'The members of the body, as [fields](#fields-of-an-answer) of the [named values](#named-values) of errors. What a failure does not have is left out.',
    example: '{ error_description: null, message: error_description }',
  },
  'errors.encoding': {
    text: 'The form of their bodies, as `token_response.encoding`.',
    example: 'form',
  },
  'errors.content_type': {
    text: 'Their `Content-Type`; it changes nothing about the body.',
    example: 'application/problem+json',
    otherwise: 'that of the encoding',
  },
  'errors.name_case': {
    text: 'The case of all names in the body (P-10).',
    example: 'lower',
  },
  'errors.text_case': {
    text: 'The case of the texts `error` and `error_description` (P-10).',
    example: 'upper',
  },
  'errors.parameter_names': {
    text: 'How `{parameter}` is written: `as_sent`, or `spaced`, with separators turned into spaces: `grant type` (P-10).',
    example: 'spaced',
  },
  'errors.groups': {
    text: 'What is said of many reasons at once, laid over the variant in the order of the list. `errors.reasons` of the same file win over all groups.',
    example: '[{ reasons: all, status: 400 }, { reasons: [throttled], status: 429 }]',
    otherwise: 'none',
  },
  'errors.reasons': {
    text: 'What each failure reason becomes. All of them must be mapped; the list is [below](#failures-of-a-token-request).',
    example: '{ throttled: { status: 503, error: slow_down } }',
  },
};
