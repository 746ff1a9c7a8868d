// Owns the texts on the keys of types that stand in several places: endpoints, inputs, shapes,
// fields; and on kinds of values without keys.

import type { KeyDocs } from './key_doc.ts';

/** Kinds of values that have no keys of their own. */
export const kindDocs: Readonly<Record<string, string>> = {
  text: 'Text of 1 to 1000 characters without control characters.',
  duration:
    'A whole number and a unit: `500ms`, `90s`, `30m`, `24h`, `30d`. One unit, no spaces, no fractions.',
  lifetime: 'A duration of at least `1s` and at most `3650d`.',
  length:
    'A number of characters, `5`, or the fewest and the most, `8..20`. A prefix does not count.',
  endpoint_path:
    'As a path, but segments may hold `:` and `@` further on, and a slash may close it.',
  path: 'One or more segments with `/` before each: letters, digits, `-`, `_`, `.`, `~`. No closing `/`, no `.` or `..` segments, no percent-encoding.',
  media_type: 'A media type such as `application/json`, with at most one parameter.',
  wire_name: 'A name of a parameter or member: 1 to 100 visible ASCII characters.',
  header_name:
    'The name of an HTTP header. Headers that Jetway or the connection sets (`Content-Type`, `Cache-Control`, `Retry-After`, `Allow` and the like) are refused.',
  input_name: 'A name in snake_case of up to 50 characters.',
  character_class: 'One of the [character classes](#character-classes).',
  failure_reason: 'One of the [failures of a token request](#failures-of-a-token-request).',
  language_tag: 'A language as browsers name it: `fr`, `pt-BR` (RFC 5646).',
  colour: 'A colour in quotes, as `"#0b4f8a"`.',
  logo: 'The name of an SVG or PNG file in the folder of the programme file, or in a folder below it.',
  brand_name: 'What login requests call a brand: 1 to 50 visible ASCII characters.',
  token_value: 'One of the [named values](#named-values) of token responses and claims.',
  redirect_value: 'One of the [named values](#named-values) of redirects.',
  error_value: 'One of the [named values](#named-values) of error bodies.',
};

export const typeDocs: KeyDocs = {
  'endpoint.path': {
    text: 'The path below `base_path`.',
    example: '/token',
  },
  'endpoint.methods': {
    text: 'The methods that are answered; any other gets 405 with `Allow`. HEAD is not GET.',
    example: '[GET, POST]',
    beside: 'token_endpoints: { grant: { read: query } }',
  },
  'endpoint.read': {
    text: 'Where parameters are read: the query, a form body (`application/x-www-form-urlencoded`, in any charset that holds ASCII, G-9), or the members of a JSON body; of a list, in whichever of these they come, and a parameter that comes in two of them came twice. A single input can be read elsewhere by its own `in`.',
    example: '[form, json]',
  },
  'endpoint.media_types': {
    text: 'What the `Content-Type` of a body may say besides that. Where form and JSON are both read, a type that ends with `json` is JSON.',
    example: '[application/vnd.api+json]',
    beside: 'token_endpoints: { grant: { read: json } }',
  },
  'endpoint.repeated': {
    text: 'A parameter that is sent more than once: `refuse` it (RFC 6749 3.1), or take the `first` or `last` value. A login request always refuses.',
    example: 'last',
  },
  'endpoint.unknown': {
    text: 'A parameter that is no input of the endpoint: `ignore` it (RFC 6749 3.1), or `refuse` it as `unknown_parameter`. Headers are never refused for being unknown.',
    example: 'refuse',
  },
  'endpoint.empty': {
    text: 'A parameter without a value (`scope=`): as if it were `missing` (RFC 6749 3.1), or a `value` of no characters that must fit like any other. A login request takes it for missing.',
    example: 'value',
  },
  'endpoint.inputs': {
    text: "What the endpoint reads, by the name that Jetway knows it under; the wire name is the input's own `name`. Names Jetway knows are [listed below](#inputs-that-jetway-knows); others are checked as declared and used for nothing else.",
    example: '{ channel: { required: true, allowed: [web, app] } }',
  },

  'input.name': {
    text: 'Its name on the wire: of a parameter, a JSON member, or a header (in any case). What is told of a JSON member names its objects too: `credentials.site.name`.',
    example: 'programme-identifier',
    otherwise: "the input's own name",
  },
  'input.in': {
    text: 'Where it is read, if not where the endpoint reads its parameters. A body has one form: `form` and `json` only where the endpoint reads that.',
    example: 'header',
    otherwise: "the endpoint's `read`",
  },
  'input.within': {
    text: 'Objects of a JSON body that it lies in, outermost first: `[credentials, site]` for `{"credentials":{"site":{"name":…}}}`. Nothing else in a JSON body may be an object.',
    example: '[credentials, site]',
    beside: 'token_endpoints: { grant: { read: json } }',
    otherwise: 'it is a member of the body itself',
  },
  'input.scheme': {
    text: 'A word that stands before the value in a header and is no part of it, such as Bearer (RFC 9110 11.1). A header without it counts as missing. Not at the login request.',
    example: 'Bearer',
    beside:
      'token_endpoints: { grant: { inputs: { device: { in: header, name: x-subject-token } } } }',
    otherwise: 'the whole header is the value',
  },
  'input.required': {
    text: 'Whether a request without it is refused. What a grant cannot do without (`code`, `refresh_token`) is required for that grant in any case.',
    example: 'true',
  },
  'input.prefix': {
    text: 'What the value must begin with.',
    example: 'AUTHN-',
    otherwise: 'nothing in particular',
  },
  'input.characters': {
    text: 'What the rest of the value may be made of.',
    example: 'alphanumeric',
    otherwise: 'any characters',
  },
  'input.length': {
    text: 'How many characters there may be after the prefix.',
    example: '1..50',
    otherwise: 'any number',
  },
  'input.format': {
    text: 'A form that is more than characters: `accepts_json` is an `Accept` header that lets `application/json` through, `ip_list` one IPv4 or IPv6 address or several with commas between (P-6). Such a header may come in several lines.',
    example: 'ip_list',
    otherwise: 'none',
  },
  'input.allowed': {
    text: 'The values that are taken, compared to the letter.',
    example: '[web, app]',
    otherwise: 'any that fit',
  },
  'input.must_equal': {
    text: 'What it must be equal to where it is sent: `programme.identifier` (P-4), or of the client that authenticated, `client.id` (P-11), `client.business_context`, `client.partner_id` or `client.api_key`.',
    example: 'client.partner_id',
    otherwise: 'nothing',
  },
  'input.when_missing': {
    text: 'The failure reason when it is required and not there. Token endpoints only: a login request has [reasons of its own](#failures-of-a-login-request).',
    example: 'authentication_missing',
    otherwise:
      '`missing_header`, `missing_grant_type` for `grant_type`, otherwise `missing_parameter`',
  },
  'input.when_invalid': {
    text: 'The failure reason when its value does not fit. Token endpoints only.',
    example: 'invalid_scope',
    otherwise: '`invalid_header` or `invalid_parameter`',
  },
  'input.when_unequal': {
    text: 'The failure reason when it is not what `must_equal` names. Token endpoints only.',
    example: 'client_authentication_failed',
    otherwise:
      '`programme_mismatch`, `client_mismatch` for `client.id`, otherwise `context_mismatch`',
  },

  'value_shape.prefix': {
    text: 'What the value begins with.',
    example: 'hh-',
    otherwise: 'nothing in particular',
  },
  'value_shape.characters': {
    text: 'What the rest is made of; new values are drawn from it.',
    example: 'alphanumeric',
    otherwise: 'any characters; new values are `alphanumeric`',
  },
  'value_shape.length': {
    text: 'Number of characters after the prefix. Of a range, new identifiers have up to 16.',
    example: '8..20',
    otherwise: 'any; new identifiers have 16',
  },

  'field.value': {
    text: 'The [named value](#named-values) that is written. A plain `name: value` is short for this form with nothing else in it.',
    example: 'access_lifetime',
    otherwise: 'required in this form',
  },
  'field.as': {
    text: 'How a lifetime, a point in time (always in UTC) or a scope is written: [formats](#formats).',
    example: 'date_time',
    beside: 'token_response: { fields: { extra: { value: access_expires_at } } }',
    otherwise: '`seconds`, `epoch` for a point in time, a scope as it was asked for',
  },
  'field.type': {
    text: '`string` puts a number in quotes (`"1800"`), `number` writes the digits of a text bare (P-7: `jti`).',
    example: 'string',
    beside: 'token_response: { fields: { extra: { value: access_lifetime } } }',
    otherwise: 'numbers as numbers, texts as texts',
  },
  'field.absent': {
    text: 'What a value that the answer does not have becomes: the member is left out (`omit`), or is `null` (`nothing`).',
    example: 'nothing',
    beside: 'token_response: { fields: { extra: { value: membership_number } } }',
    otherwise: '`omit`',
  },
  'field.only': {
    text: 'The grants whose answers have this member (G-11); in an error body, the failure reasons.',
    example: '[authorization_code]',
    beside: 'token_response: { fields: { extra: { value: issued_at } } }',
    otherwise: 'every grant, every reason',
  },
  'field.constant': {
    text: 'A value that is always the same: text, number, `true` or `false`. For `null`, write `value: nothing`: a null in a file removes the key.',
    example: 'bearer',
    otherwise: 'required in this form',
  },
  'field.object': {
    text: 'An object inside the answer, made of fields (P-7: `token_Information`).',
    example: '{ issued: { value: issued_at, as: date } }',
    otherwise: 'required in this form',
  },
  'field.array': {
    text: 'An array; its items are fields without a name.',
    example: '[scope]',
    otherwise: 'required in this form',
  },
  'field.first': {
    text: 'The first of several fields that there is: another constant for each grant or reason by `only`, or something to stand for a value that is absent.',
    example: '[membership_number, { constant: "" }]',
    otherwise: 'required in this form',
  },
  'field.joined': {
    text: 'Several fields in one text, such as an address with a value in it. Absent where one of them is.',
    example: '[{ constant: "https://api.example/members/" }, subject]',
    otherwise: 'required in this form',
  },
};
