// Owns the schemas of an endpoint's inputs: the place of each input and its allowed values.

import * as v from 'valibot';

import { quote } from '../lib/fault.ts';
import { didYouMean } from '../lib/suggest.ts';
import { grantRows, type GrantType, grantTypes } from '../oauth/grant.ts';
import { authenticationMethods } from '../oauth/methods.ts';
import { snakeCaseWords } from '../schema/faults.ts';
import { key, named, note, type Output } from '../schema/notes.ts';
import {
  contentTypeSchema,
  endpointPathSchema,
  headerNameSchema,
  listOf,
  matching,
  oneOrMore,
  textSchema,
  wireNameSchema,
} from '../schema/scalars.ts';
import { failureReasonSchema } from './errors_schema.ts';
import { inputFormats } from './input_formats.ts';
import { characterClassSchema, lengthSchema } from './value_shape.ts';
import { clientPropertyForm } from './vocabularies.ts';

export const parameterPlaces = ['query', 'form', 'multipart', 'json', 'xml'] as const;
export type ParameterPlace = (typeof parameterPlaces)[number];
export type Place = ParameterPlace | 'header' | 'path' | 'cookie';

/** With what an input can be compared: also with a property of the client, by `client.` and its name. */
export type Comparison = 'programme.identifier' | `client.${string}`;

/** Those that every programme has, with what partners are told of each. */
export const comparisonRows: Readonly<Record<string, string | undefined>> = {
  'programme.identifier': undefined,
  'client.id': undefined,
  'client.business_context': 'the business context registered for you',
  'client.partner_id': 'the partner id registered for you',
  'client.api_key': 'your API key',
};
export const comparisons = Object.keys(comparisonRows) as readonly Comparison[];

function isComparison(text: string): text is Comparison {
  return comparisons.some((one) => one === text) || clientPropertyForm.test(text);
}

const comparisonSchema = v.pipe(
  v.string(),
  v.guard(isComparison, ({ input }) => {
    const meant = didYouMean(input, comparisons);
    const advice = meant === undefined ? '' : `; ${meant}`;
    return `${quote(input)} is nothing to compare with: expected one of ${comparisons.join(', ')}, or client. and the name of a property${advice}`;
  }),
  named(
    'comparison',
    'One of `programme.identifier`, `client.id`, `client.business_context`, `client.partner_id`, `client.api_key`; or `client.` and the name of a property of the registration (`client add --property NAME=…`, several times for several values).',
  ),
  note({
    json: {
      anyOf: [{ enum: comparisons }, { type: 'string', pattern: clientPropertyForm.source }],
    },
  }),
);

/** The places in which an endpoint looks for an input. */
export function placesOf(
  input: InputDefinition,
  endpoint: Pick<EndpointDefinition, 'read'>,
): readonly Place[] {
  return input.in === undefined ? endpoint.read : [input.in];
}

/** RFC 9110 11.1. */
export const schemeSchema = matching(
  /^[A-Za-z][A-Za-z0-9-]{0,30}$/,
  'expected a word such as Bearer',
);

const inputSchema = v.pipe(
  v.strictObject({
    name: key(v.exactOptional(wireNameSchema), {
      text: 'Its name on the wire: of a parameter, a JSON member, an XML element (without its prefix), or a header (in any case). If it lies in objects, messages name them too: `credentials.site.name`.',
      example: 'programme-identifier',
      otherwise: "the input's own name",
    }),
    in: key(v.exactOptional(v.picklist([...parameterPlaces, 'header', 'path', 'cookie'])), {
      text: 'Where it is read, if not where the endpoint reads its parameters. A body has one form: `form`, `multipart`, `json` and `xml` are possible only if the endpoint reads that. `path`: the segment of `path` that has its name in braces. `cookie`: at token endpoints alone. No input can be a header of the connection (`Host`, `Content-Length`, `TE`, `Proxy-…` and the like), or `Cookie` as a whole.',
      example: 'header',
      otherwise: "the endpoint's `read`",
      departs: [
        {
          name: 'cookie_read',
          when: (place) => place === 'cookie',
          message:
            'browsers send a cookie unasked, so other sites may cause such requests (RFC 6265bis 8.2)',
          hint: 'they cannot read the answer; let the cookie be SameSite=Strict, or require a header beside it',
        },
      ],
    }),
    within: key(
      v.exactOptional(
        v.pipe(v.array(wireNameSchema), v.nonEmpty('expected the name of at least one object')),
      ),
      {
        text: 'The objects of a JSON body in which it lies, outermost first: `[credentials, site]` for `{"credentials":{"site":{"name":…}}}`. In XML: the elements inside the root element, without their prefixes.',
        example: '[credentials, site]',
        otherwise: 'it is a member of the body itself, or lies in the root element',
      },
    ),
    attribute: key(v.exactOptional(v.boolean()), {
      text: 'In XML: whether it is an attribute of the element that `within` ends with, or of the root element.',
      example: 'true',
      otherwise: 'it is the text of an element',
    }),
    scheme: key(v.exactOptional(schemeSchema), {
      text: 'A word that stands before the value in a header and is no part of it, such as Bearer (RFC 9110 11.1). A header without the word counts as missing. A login request cannot have one.',
      example: 'Bearer',
      otherwise: 'the whole header is the value',
    }),
    required: key(v.optional(v.boolean(), false), {
      text: 'Whether a request without it is refused. What a grant needs (`code`, `refresh_token`) is required for that grant in any case.',
      example: 'true',
    }),
    prefix: key(v.exactOptional(v.string()), {
      text: 'What the value must begin with.',
      example: 'AUTHN-',
      otherwise: 'nothing in particular',
    }),
    characters: key(v.exactOptional(characterClassSchema), {
      text: 'What the rest of the value may be made of.',
      example: 'alphanumeric',
      otherwise: 'any characters',
    }),
    length: key(v.exactOptional(lengthSchema), {
      text: 'How many characters there may be after the prefix.',
      example: '1..50',
      otherwise: 'any number',
    }),
    format: key(v.exactOptional(v.picklist(inputFormats)), {
      text: 'A form that is more than characters. `accepts_json`: an `Accept` header that lets `application/json` through. `ip_list`: one IPv4 or IPv6 address, or several with commas between (P-6). Either has at most 4096 characters. Such a header may come in several lines.',
      example: 'ip_list',
      otherwise: 'none',
    }),
    allowed: key(
      v.exactOptional(
        v.pipe(listOf(v.string()), v.nonEmpty('expected at least one value that is taken')),
      ),
      {
        text: 'The values that are taken, compared to the letter. If Jetway interprets the input, as `grant_type` or `code_challenge_method`, a value that can never succeed does not load.',
        example: '[web, app]',
        otherwise: 'any that fit',
      },
    ),
    must_equal: key(v.exactOptional(comparisonSchema), {
      text: 'What it must be equal to if it is sent: `programme.identifier` (P-4), or what is registered for the client that authenticated (P-11), such as `client.partner_id` or its property `client.tenant`. If the property has several values, one of them is enough.',
      example: 'client.tenant',
      otherwise: 'nothing',
    }),
    when_missing: key(v.exactOptional(failureReasonSchema), {
      text: 'The failure reason if it is required and not there. Token endpoints only: a login request has [reasons of its own](#failures-of-a-login-request).',
      example: 'authentication_missing',
      otherwise:
        '`missing_header`, `missing_grant_type` for `grant_type`, otherwise `missing_parameter`',
    }),
    when_invalid: key(v.exactOptional(failureReasonSchema), {
      text: 'The failure reason if its value does not fit. Token endpoints only.',
      example: 'invalid_scope',
      otherwise: '`invalid_header` or `invalid_parameter`',
    }),
    when_unequal: key(v.exactOptional(failureReasonSchema), {
      text: 'The failure reason if it is not what `must_equal` names. Token endpoints only.',
      example: 'client_authentication_failed',
      otherwise:
        '`programme_mismatch`, `client_mismatch` for `client.id`, otherwise `context_mismatch`',
    }),
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
  named('input'),
);

export const roleNameSchema = v.pipe(
  v.string(),
  v.regex(/^[a-z][a-z0-9_]{0,49}$/, ({ input }) => snakeCaseWords(input)),
  named('input name', 'A name in snake_case of up to 50 characters.'),
);

const inputMapSchema = v.record(roleNameSchema, inputSchema);

/** A list of maps stands for one map; merged over the variant, it replaces where a map is added. */
const inputsSchema = v.union([
  inputMapSchema,
  v.pipe(
    v.array(inputMapSchema),
    v.check((maps) => {
      const names = maps.flatMap((map) => Object.keys(map));
      return new Set(names).size === names.length;
    }, 'a name is given twice in this list'),
    v.transform((maps) => Object.fromEntries(maps.flatMap((map) => Object.entries(map)))),
  ),
]);

/** Methods of clients, at an endpoint or in a dialect. */
export const methodsSchema = v.pipe(
  listOf(v.picklist(authenticationMethods)),
  v.nonEmpty('expected at least one method'),
);

function standardWord(type: GrantType): string {
  return grantRows[type].registered ?? type;
}

/** The keys that the login request and token endpoints share. */
export const endpointSchema = v.pipe(
  v.strictObject({
    path: key(endpointPathSchema, {
      text: 'The path below `base_path`. The login request and a token endpoint may have the same path, if their `methods` differ. So may two token endpoints; or one reads bodies of another type, or each request to one of them has an input, or a value of an input, that the other never has.',
      example: '/token',
    }),
    methods: key(
      v.optional(
        v.pipe(listOf(v.picklist(['GET', 'POST'])), v.nonEmpty('expected at least one method')),
        ['POST'],
      ),
      {
        text: 'The methods that are answered; a login request must name its own. Any other gets 405 with `Allow`. HEAD is not GET.',
        example: '[GET, POST]',
        departs: [
          {
            name: 'tokens_by_get',
            when: (methods, { path }) => path[0] === 'token_endpoints' && methods.includes('GET'),
            message: 'tokens are issued on GET (RFC 6749 3.2)',
            hint: 'answers carry no-store and queries are never logged',
          },
          {
            name: 'no_login_by_get',
            isQuiet: true,
            when: (methods, { path, get }) =>
              path[0] === 'authorize' &&
              !methods.includes('GET') &&
              get('grants', 'authorization_code') !== undefined,
            message: 'a login request by GET is not answered (RFC 6749 3.1)',
            hint: 'a page of the partner has to post the request, or its server; add GET',
          },
        ],
      },
    ),
    read: key(v.optional(oneOrMore(v.picklist(parameterPlaces)), 'form'), {
      text: 'Where parameters are read. `query`: the query. `form`: a form body (`application/x-www-form-urlencoded`, in any charset that holds ASCII, G-9). `multipart`: the fields of a `multipart/form-data` body (RFC 7578); a part that is a file, or no plain text, makes the body malformed. `json`: the members of a JSON body; a scope may also be a list of texts. `xml`: the elements of an XML body (`application/xml`, `text/xml`, any type with `+xml`), without a DTD and entities of its own. If there are several of these, a parameter may come in any of them; in two of them, it came twice. An input can be read elsewhere by its own `in`.',
      example: '[form, json]',
    }),
    media_types: key(v.optional(listOf(contentTypeSchema), []), {
      text: 'What else the `Content-Type` of a body may say. If the endpoint reads several forms, a type that ends with `json` or `xml` is of that form.',
      example: '[application/vnd.api+json]',
    }),
    root: key(v.exactOptional(wireNameSchema), {
      text: 'The name that the root element of an XML body must have, without its prefix.',
      example: 'Envelope',
      otherwise: 'any',
    }),
    repeated: key(v.optional(v.picklist(['refuse', 'first', 'last']), 'refuse'), {
      text: 'What happens if a parameter is sent more than once. `refuse`: the request is refused (RFC 6749 3.1). `first` or `last`: that value counts, in the order of the request, in JSON too. A login request always refuses, and a second `resource` is refused everywhere. A parameter that is ignored (`unknown: ignore`) may come several times, unless Jetway knows its name or it is a member of a JSON body.',
      example: 'last',
      departs: [
        {
          name: 'repeated_parameters',
          when: (repeated) => repeated !== 'refuse',
          message: 'a parameter sent more than once is not refused (RFC 6749 3.1 and 3.2)',
          hint: (repeated) =>
            `the ${repeated} value counts, whatever stands between client and service`,
        },
      ],
    }),
    unknown: key(v.optional(v.picklist(['ignore', 'refuse']), 'ignore'), {
      text: 'What happens with a parameter that is no input of the endpoint. `ignore`: nothing (RFC 6749 3.1), whatever its type in JSON. `refuse`: the request is refused as `unknown_parameter`. Headers are never refused for being unknown.',
      example: 'refuse',
      departs: [
        {
          name: 'unknown_refused',
          isQuiet: true,
          when: (unknown) => unknown === 'refuse',
          message:
            'a parameter that is not known is refused (RFC 6749 3.1 and 3.2, OpenID Connect Core 15.1)',
          hint: 'standard clients send parameters of extensions, and take it that they are ignored',
        },
      ],
    }),
    empty: key(v.optional(v.picklist(['missing', 'value']), 'missing'), {
      text: 'What a parameter without a value (`scope=`) means. `missing`: it counts as missing (RFC 6749 3.1). `value`: it is a value of no characters, which must fit like any other. In a login request it always counts as missing.',
      example: 'value',
      departs: [
        {
          name: 'empty_values',
          isQuiet: true,
          when: (empty, { path }) => empty === 'value' && path[0] === 'token_endpoints',
          message: 'a parameter without a value counts as sent (RFC 6749 3.2)',
          hint: 'standard clients leave such a parameter out',
        },
      ],
    }),
    authentication: key(v.exactOptional(methodsSchema), {
      text: 'The ways in which clients may prove themselves at this token endpoint, if those are not all of `client.authentication.methods`. Credentials for the others are refused here. Introspection and revocation take all of them.',
      example: '[parameters]',
      otherwise: 'all of `client.authentication.methods`',
    }),
    grant_types: key(v.exactOptional(v.record(v.picklist(grantTypes), textSchema)), {
      text: 'The values of `grant_type` at this token endpoint, by grant, if they are not those of `grants`.',
      example: '{ refresh_token: renew }',
      otherwise: 'those of `grants`',
      departs: [
        {
          name: 'renamed_grants',
          isQuiet: true,
          when: (words) =>
            grantTypes.some((type) => (words[type] ?? standardWord(type)) !== standardWord(type)),
          message: 'standard clients send another grant_type for this grant (RFC 6749 4.1.3)',
          hint: 'partners of this programme need the client its document describes',
        },
      ],
    }),
    without_grant_type: key(v.exactOptional(v.picklist(['inputs', ...grantTypes])), {
      text: 'At a token endpoint of several grants: what a request without `grant_type` asks for. The name of a grant: that one. `inputs`: the grant whose inputs came, such as `code` or `refresh_token`, and `client_credentials` if those of no other came; a request with the inputs of two grants is refused. The endpoint then needs no input `grant_type`. If one comes, it counts.',
      example: 'inputs',
      otherwise: 'such a request is refused',
      departs: [
        {
          name: 'untold_grant',
          isQuiet: true,
          when: () => true,
          message: 'a request that does not say its grant_type is answered (RFC 6749 4.1.3 and 6)',
          hint: 'standard clients send it, and it counts if it comes',
        },
      ],
    }),
    inputs: key(inputsSchema, {
      text: "What the endpoint reads, by the name under which Jetway knows it. The wire name is the input's own `name`. A map is laid over that of the variant. A list of maps, `[{ code: {} }, { grant_type: {} }]`, replaces it. The names that Jetway knows are [listed below](#inputs-that-jetway-knows). Other inputs are checked as declared and used for nothing else.",
      example: '{ channel: { required: true, allowed: [web, app] } }',
    }),
  }),
  v.check(
    (endpoint) => endpoint.read.includes('query') || !endpoint.methods.includes('GET'),
    'an endpoint that answers GET reads its parameters from the query: set read to query, or to a list with it',
  ),
  named('endpoint'),
);

export type InputDefinition = Output<typeof inputSchema>;
export type EndpointDefinition = Output<typeof endpointSchema>;
