// Owns the Definition: a validated programme file with every default filled.

import * as v from 'valibot';

import { quote } from '../lib/fault.ts';
import { usualIdHeader } from '../oauth/request_record.ts';
import { key, named, type Output } from '../schema/notes.ts';
import {
  basePathSchema,
  contentTypeSchema,
  fixedPathSchema,
  freeHeaderSchema,
  lifetimeSchema,
  listOf,
  matching,
  textSchema,
} from '../schema/scalars.ts';
import { ownUrn } from '../token/jwt.ts';
import { longestResource } from '../token/sealed/access_plaintext.ts';
import { authorizeSchema } from './authorize_schema.ts';
import { clientSchema } from './client_schema.ts';
import { withContentType } from './encoding.ts';
import { errorsSchema } from './errors_schema.ts';
import { endpointSchema } from './input_schema.ts';
import { loginSchema } from './login_schema.ts';
import { membersSchema, sandboxSchema, throttleSchema, verifySchema } from './service_schemas.ts';
import { grantsSchema } from './tokens/grants_schema.ts';
import { identityTokenSchema, userinfoSchema } from './tokens/identity_schema.ts';
import { scopeSchema } from './tokens/scope_schema.ts';
import { tokenResponseSchema, tokensSchema } from './tokens/token_schema.ts';
import { characterClassSchema, lengthSchema } from './value_shape.ts';
import { variantNames } from './variants.ts';

const selectorSchema = v.strictObject({
  input: key(textSchema, {
    text: 'The input that names the programme, by its name under `inputs`. Each endpoint must read it from a header or the query, and compare it with `programme.identifier`.',
    example: 'programme',
  }),
  default: key(v.optional(v.boolean(), false), {
    text: "Whether this programme's dialect words the answer if the selector is missing or names no programme. Exactly one of the programmes that share a path has it.",
    example: 'true',
  }),
});

const codeSchema = v.strictObject({
  prefix: key(v.exactOptional(v.string()), {
    text: 'Text in front of the random characters.',
    example: 'ac_',
    otherwise: 'none',
  }),
  characters: key(v.exactOptional(characterClassSchema), {
    text: 'The class from which the random characters are drawn (G-2, P-2).',
    example: 'base64url',
    otherwise: '`alphanumeric`',
  }),
  length: key(v.exactOptional(lengthSchema), {
    text: 'Number of random characters.',
    example: '43',
    otherwise: '`64`',
  }),
  lifetime: key(lifetimeSchema, {
    text: 'How long a code can be redeemed, once. 10 minutes at most (RFC 6749 4.1.2).',
    example: '90s',
    tells: { row: 'lifetime of a code', isSpan: true },
  }),
});

const answerFormSchema = v.pipe(
  v.strictObject({
    encoding: key(v.picklist(['json', 'form', 'xml']), {
      text: 'The form of its body, as `token_response.encoding`.',
      example: 'xml',
    }),
    content_type: key(v.exactOptional(contentTypeSchema), {
      text: 'Its `Content-Type`, as `token_response.content_type`.',
      example: 'text/xml; charset=utf-8',
      otherwise: 'that of the encoding',
    }),
    root: key(v.exactOptional(textSchema), {
      text: 'The name of an object, or of an element, around the whole answer, for the one that XML has to have.',
      example: 'OAuth',
      otherwise: 'nothing stands around it',
    }),
  }),
  named('answer form'),
  v.transform(withContentType),
);

const audienceSchema = v.pipe(
  textSchema,
  v.check(
    (audience) => !audience.trimStart().toLowerCase().startsWith(ownUrn),
    `what begins with ${ownUrn} is an audience of Jetway itself, such as that of refresh tokens: name the API that takes the access tokens`,
  ),
);

/** RFC 8707 2: an absolute URI (RFC 3986 4.3). Sealed tokens hold it behind one byte of its length. */
const resourceSchema = v.pipe(
  audienceSchema,
  v.regex(
    /^[A-Za-z][A-Za-z0-9+.-]*:(?:[\w.~:/?[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$/,
    ({ input }) =>
      `${quote(input)} is no absolute URI without a fragment, such as https://orders.example.com/`,
  ),
  v.check((uri) => uri.length <= longestResource, `expected at most ${longestResource} characters`),
);

const requestIdSchema = v.pipe(
  freeHeaderSchema,
  v.check(
    (name) =>
      !/^(?:x-auth-|www-authenticate$|referrer-policy$|strict-transport-security$|vary$|x-(?:content-type|frame)-options$|x-robots-tag$)/i.test(
        name,
      ),
    'answers of Jetway have this header already: name another',
  ),
);

const managementSchema = (example: string) =>
  v.exactOptional(
    v.strictObject({
      path: key(fixedPathSchema, {
        text: "The path below the programme's own path, as of `login.path`.",
        example,
      }),
    }),
  );

/** The schema of a merged document: variant and programme file together. */
export const definitionSchema = v.strictObject({
  variant: key(v.exactOptional(v.picklist(variantNames())), {
    text: 'The dialect over which this file is laid. What the file does not say is as the variant has it.',
    example: 'grant',
    otherwise: 'the file is a complete dialect of its own',
  }),
  name: key(textSchema, {
    text: "The programme's name for people. It stands in the listings of `jetway`, and is the realm of a `WWW-Authenticate: Basic` challenge. If no letter or digit of it is ASCII, the realm is the file's name.",
    example: 'Harbour Hotels',
  }),
  programme_identifier: key(matching(/^[A-Za-z]{1,20}$/, 'expected 1 to 20 letters (P-1)'), {
    text: 'The word that partners send as programme-identifier (P-1, P-4). Answers can hold it as `programme_identifier`. It is required even if a dialect never sends it: `jetway client add` shows it to each partner.',
    example: 'HarbourHotels',
  }),
  base_path: key(basePathSchema, {
    text: 'The path under which all endpoints of the programme lie. A partner calls the path to which it was onboarded (C-2). It begins with `/`, does not end with one, and is matched byte for byte. A `/` alone is the root of the host; other programmes can still lie below it.',
    example: '/harbour-hotels',
  }),
  interface_version: key(v.optional(textSchema, 'v1'), {
    text: "The label of the interface's version (C-6). It is data and no part of any path. Write it into `base_path` if it belongs there.",
    example: 'v2',
  }),
  audience: key(v.exactOptional(audienceSchema), {
    text: "The `aud` of the programme's access tokens: the API that takes them (C-9, RFC 7519 4.1.3). Refresh tokens that are JWTs have one of their own, `urn:jetway:refresh-token`. No access token can have one that begins with `urn:jetway:`.",
    example: 'https://api.example.com/hotels',
    otherwise: "the programme's public base URL, as in `iss`",
  }),
  resources: key(v.optional(listOf(resourceSchema), []), {
    text: "More APIs for which a request can get a token by the input `resource` (RFC 8707), each as an absolute URI. It is then the token's `aud`. Code and login keep it: no later request changes it. Such a token passes at a gateway only where the gateway names that `audience`, and is neither a proof of its client nor good for `userinfo`. `must_equal: client.NAME` at the input leaves each client those that are registered for it.",
    example: '[https://orders.example.com/, https://rooms.example.com/]',
  }),
  selector: key(v.exactOptional(selectorSchema), {
    text: 'Lets several programmes share a `base_path` and the documented endpoints. A header or query parameter of each then says which programme is meant. The login page, the key set and the verify paths lie under `{base_path}/{file name}`. What would be ambiguous does not load.',
    example: '{ input: programme, default: true }',
    otherwise: 'the programme has its paths to itself',
  }),
  client: key(clientSchema, {
    text: 'The clients that may call: the shape of their identifiers, and how they authenticate at the token endpoints.',
    example: '{ authentication: { methods: [basic, parameters] } }',
  }),
  authorize: key(authorizeSchema, {
    text: 'The login request: the link by which a partner sends a member to log in (RFC 6749 4.1.1).',
    example: '{ pkce: required }',
  }),
  code: key(codeSchema, {
    text: 'The authorization code in which a login ends: its shape and lifetime. A shape with fewer than 128 random bits does not load (RFC 6749 10.10). If the shape has a range of lengths, a code has up to 64 characters.',
    example: '{ characters: base64url, length: 43, lifetime: 90s }',
  }),
  token_endpoints: key(v.record(textSchema, endpointSchema), {
    text: 'The endpoints that issue tokens, by names of your choosing. `grants` refers to these names. Each endpoint must serve a grant.',
    example: '{ grant: { path: /token } }',
  }),
  grants: key(grantsSchema, {
    text: 'The grants that the programme offers (G-10, P-9), each at one token endpoint or several. It must offer at least one. A null switches off a grant that the variant has.',
    example: '{ client_credentials: null }',
  }),
  scope: key(scopeSchema, {
    text: 'What scopes there are; `kind` says which of two kinds. Levels: a token has one of them (G-12). Names: a request asks for them (P-5).',
    example: '{ member_default: AUTHN-LEVEL-12 }',
  }),
  tokens: key(tokensSchema, {
    text: 'The tokens themselves: form, lifetime, and what JWTs say.',
    example: '{ access: { format: jwt, lifetime: 15m } }',
  }),
  id_token: key(v.exactOptional(identityTokenSchema), {
    text: 'Identity tokens (OpenID Connect Core): JWTs that tell a client who has logged in, signed as `algorithm` says. The answer to a code holds one as `id_token`, if the login asked for the scope `openid`, or if scopes are levels. The login request should declare the inputs `nonce` and `prompt`.',
    example: '{ claims: { tier: member.tier } }',
    otherwise: 'there are none',
    departs: [
      {
        name: 'no_login_by_post',
        isQuiet: true,
        when: (_identity, { get }) => {
          const [methods, read] = ['methods', 'read'].map(
            (name) => get('authorize', 'endpoint', name) as readonly string[],
          );
          return methods?.includes('POST') !== true || read?.includes('form') !== true;
        },
        message:
          'a login request whose parameters stand in a posted form is not read (OpenID Connect Core 3.1.2.1)',
        hint: 'add POST to authorize.endpoint.methods, and set its read to [query, form]',
      },
    ],
  }),
  userinfo: key(v.exactOptional(userinfoSchema), {
    text: "An endpoint that answers a member's access token with what the login knows of the member (OpenID Connect Core 5.3). The token comes as `Authorization: Bearer`, by GET or POST. With identity tokens, its scope must have `openid`. Failures have the status and challenge of RFC 6750.",
    example: '{ path: /userinfo }',
    otherwise: 'there is no such endpoint',
  }),
  request_id: key(v.optional(v.union([v.literal('none'), requestIdSchema]), usualIdHeader), {
    text: 'The header of every answer that holds the id of the request. Partners quote the id when they ask for help, and the operator finds the request by it (`jetway why`). `none` leaves the header out, for clients that know exactly which headers come.',
    example: 'X-Correlation-Id',
  }),
  throttle: key(throttleSchema, {
    text: 'How many token requests a client may make in a window of time, over all grants (G-18). One more is `throttled`. `jetway client set` can give a client a limit of its own.',
    example: '{ limit: 60, window: 10s }',
  }),
  token_response: key(tokenResponseSchema, {
    text: 'The answer to a token request that succeeded (RFC 6749 5.1). It always says `Cache-Control: no-store`.',
    example: '{ name_case: upper }',
  }),
  errors: key(errorsSchema, {
    text: 'The answers to token requests that fail. They always say `Cache-Control: no-store`. Login requests that fail have `authorize.failures`.',
    example: '{ text_case: upper }',
  }),
  answer_forms: key(v.exactOptional(v.record(textSchema, answerFormSchema)), {
    text: 'The forms in which a token request can have its answer in place of the usual one, by the value of the input `answer_form` of a token endpoint that asks for each. Failures have the form, too. If that input is the header `Accept`, the names are media types, and the one with the greatest weight counts (RFC 9110 12.5.1); of types with the same weight the one that is named most precisely, then the usual form, then the order of this map. A request without a choice, or with one that cannot be read, has the usual form.',
    example: '{ json: { encoding: json } }',
    otherwise: 'all answers have the usual form',
  }),
  verify: key(v.optional(verifySchema, {}), {
    text: 'What a request must bring beside the token, if a gateway asks about it (C-4, P-15).',
    example: '{ headers: required }',
  }),
  introspection: key(managementSchema('/token/introspect'), {
    text: 'Lets gateways ask about tokens, and clients about their own (RFC 7662). Gateways authenticate with what `jetway gateway add` gives them, always by Basic.',
    example: '{ path: /introspect }',
    otherwise: 'there is no such endpoint',
  }),
  revocation: key(managementSchema('/token/revoke'), {
    text: 'Lets clients give up a token (RFC 7009). They authenticate as at the token endpoints. A refresh token takes its login and all tokens of it along. An access token takes along what was exchanged from it. A `client_token` and the access token beside it end together.',
    example: '{ path: /revoke }',
    otherwise: 'there is no such endpoint',
  }),
  metadata: key(v.optional(v.picklist(['on', 'off']), 'off'), {
    text: 'Publishes what standard clients can be told of the programme (RFC 8414). The document lies at `/.well-known/oauth-authorization-server/{file name}`, and where the RFC derives it from the issuer. With identity tokens it lies at `{issuer}/.well-known/openid-configuration`, too (OpenID Connect Discovery 4), and with that segment before the path of the issuer (RFC 8414 5).',
    example: 'on',
    departs: [
      {
        name: 'empty_metadata',
        isQuiet: true,
        when: (metadata, { get }) =>
          metadata === 'on' && get('grants', 'authorization_code') === undefined,
        message: 'metadata does not say response_types_supported (RFC 8414 2)',
        hint: 'without a login the list is empty, and a list without elements is left out (RFC 8414 3.2)',
      },
    ],
  }),
  cors: key(v.optional(v.picklist(['on', 'off']), 'off'), {
    text: 'Whether pages of public clients (browser apps) can read the answers of the token endpoints, of userinfo and revocation, and the metadata (CORS, Fetch). A page can if its origin is registered for the client of the request (`jetway client add --origin`). A preflight names no client: any registered origin may ask. No cookie goes along, and the login has no part in this.',
    example: 'on',
    tells: {
      row: 'pages of other origins',
      words: (cors) => (cors === 'on' ? 'read answers' : 'read nothing'),
      isStrict: (cors) => cors === 'off',
    },
  }),
  sandbox: key(v.exactOptional(sandboxSchema), {
    text: 'For partners who test. If a request names a [failure](#sandbox) here, every endpoint answers it with that failure and does not look at the rest of the request. Nothing is spent or counted, and the log tells it from a real failure. It has no effect if the configuration has `environment: live`; `check` warns of that.',
    example: '{ header: X-Sandbox-Failure, parameter: sandbox_failure }',
    otherwise: 'no failure can be forced',
  }),
  login: key(loginSchema, {
    text: 'The login page, the one page that members meet.',
    example: '{ title: Log in to Harbour Hotels, lifetime: 10m }',
  }),
  members: key(v.optional(membersSchema, {}), {
    text: 'Where the members are known who log in here (P-15).',
    example: '{ directory: store }',
  }),
  accepts: key(v.optional(v.record(v.string(), textSchema), {}), {
    text: '[Warnings](#warnings) of `check` that are known and meant: the name of each, and the reason. They then stand in `jetway show PROGRAMME --departures` alone.',
    example: '{ parameters_secret: document of 2011 }',
  }),
});

export type Definition = Output<typeof definitionSchema>;
