// Owns the schema of tokens and token responses.

import * as v from 'valibot';

import type { Milliseconds } from '../../lib/clock.ts';
import { formatDuration } from '../../lib/duration.ts';
import { signingAlgorithms } from '../../oauth/signing_key.ts';
import { key, type KeyDeparture } from '../../schema/notes.ts';
import {
  contentTypeSchema,
  durationSchema,
  lifetimeSchema,
  matching,
  openingSchema,
  textSchema,
} from '../../schema/scalars.ts';
import { encodings, openingWords, textBeforeAnswers, withContentType } from '../encoding.ts';
import { responseHeadersSchema, tokenFieldSchemas, cookiesSchema } from '../response_headers.ts';
import { type ValueShape, valueShapeSchema } from '../value_shape.ts';
import { nameCases, neededValues } from '../value_tree.ts';

const day = 86_400_000;

/** Time enough for any client to try again. */
const usualGrace = 300_000;

const longTokens = {
  name: 'long_access_tokens',
  message: 'access tokens live for more than a day (RFC 6750 5.3)',
  hint: 'revocation and disabled clients count at every verification',
} as const;

/** Of the lifetime of all access tokens, or of those of one grant. */
export const longAccessTokens: KeyDeparture<Milliseconds> = {
  ...longTokens,
  when: (lifetime) => lifetime > day,
};

/** RFC 6750 2.1. */
export const bearerCharacters: RegExp = /^[A-Za-z0-9._~+/-]*$/;

/** What of a property of the member a token can begin with. */
export const beginning = { form: /^[A-Za-z0-9._~+/-]*$/, longest: 64 } as const;

const memberProperty = v.exactOptional(
  matching(
    /^member\.[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
    'expected member. and the name of a property, such as member.region',
  ),
);

/** What tokens of a form look like. */
export type TokenShape = ValueShape & { readonly begins_with?: string };

/** Of all access tokens, or of those of one grant. */
export const oddBearerTokens: KeyDeparture<ValueShape> = {
  name: 'odd_bearer_tokens',
  isQuiet: true,
  when: ({ prefix = '' }) => !bearerCharacters.test(prefix),
  message: 'access tokens begin with characters that they may not have (RFC 6750 2.1)',
  hint: 'an API that checks the form of a token before it asks Jetway may refuse them',
};

/** RFC 7519 2, StringOrURI: a colon only in a URI. */
const issuerSchema = matching(
  /^(?:[!-9;-~]{1,200}|[A-Za-z][A-Za-z0-9+.-]{0,20}:[!-~]{1,200})$/,
  'expected a URI, or visible ASCII without a colon',
);

const requestedSchema = v.strictObject({
  longest: key(v.exactOptional(lifetimeSchema), {
    text: 'The longest lifetime that a request can ask for by a number. Signing and token keys are kept for it.',
    example: '12h',
    otherwise: 'requests ask by `words`',
    departs: [longAccessTokens],
    tells: { row: 'longest lifetime that a request can ask for', isSpan: true },
  }),
  shortest: key(v.exactOptional(lifetimeSchema), {
    text: 'The shortest lifetime that a request can ask for by a number. A request for less is refused as `when_invalid` of the input.',
    example: '5m',
    otherwise: '`1m`',
    tells: { row: 'shortest lifetime that a request can ask for', words: formatDuration },
  }),
  unit: key(v.exactOptional(v.picklist(['seconds', 'minutes'])), {
    text: 'What the number counts.',
    example: 'minutes',
    otherwise: '`seconds`',
    tells: { row: 'unit of a lifetime that is asked for' },
  }),
  over: key(v.exactOptional(v.picklist(['refuse', 'longest'])), {
    text: 'What a request for more than `longest` gets. `refuse`: it is refused as `when_invalid` of the input. `longest`: the longest lifetime; answers must then tell `access_lifetime` or `access_expires_at` (RFC 6749 5.1).',
    example: 'longest',
    otherwise: '`refuse`',
    tells: { row: 'too long a lifetime', isStrict: (over) => over === 'refuse' },
  }),
  words: key(v.exactOptional(v.record(textSchema, lifetimeSchema)), {
    text: 'The words that a request can ask with in place of a number, each with its lifetime. Any other is refused as `when_invalid` of the input.',
    example: '{ hour: 1h, week: 7d }',
    otherwise: 'requests ask by a number',
    departs: [
      {
        ...longTokens,
        when: (words) => Object.values(words).some((lifetime) => lifetime > day),
      },
    ],
    tells: {
      row: 'lifetimes that a request can ask for',
      words: (words) =>
        Object.entries(words)
          .map(([word, lifetime]) => `${word} ${formatDuration(lifetime)}`)
          .join(', '),
    },
  }),
});

const accessSchema = v.strictObject({
  format: key(v.picklist(['opaque', 'jwt']), {
    text: 'The kind of token. `opaque`: random text that only Jetway can look up. `jwt`: a signed token (RFC 9068), with a key set at `{base_path}/.well-known/jwks.json` (C-1).',
    example: 'jwt',
  }),
  form: key(v.exactOptional(valueShapeSchema), {
    text: 'What an opaque access token looks like. It needs 128 random bits or more (RFC 6749 10.10), of characters that RFC 6750 2.1 allows; its `prefix` can have any visible ASCII but for `"`, `%`, `,`, `;` and a backslash. It has 64 characters unless `length` says otherwise. The store keeps each such token, encrypted under itself: one durable write more. If the form changes, tokens of another form stay good, also those from before there was a form. If the form is taken away, tokens that had one are no longer good.',
    example: '{ prefix: gho_, characters: alphanumeric, length: 36 }',
    otherwise: "Jetway's own: up to 170 characters of base64url",
    departs: [oddBearerTokens],
  }),
  begins_with: key(memberProperty, {
    text: "A property of the member with which access tokens of a form begin, before its `prefix`: up to 64 letters, digits, `.`, `_`, `~`, `+`, `/` or `-`. A client's own token does not have it, and neither has that of a member without such a value.",
    example: 'member.region',
    otherwise: 'nothing of the member',
  }),
  live: key(v.optional(v.picklist(['any', 'one']), 'any'), {
    text: 'Whether several access tokens of one owner live side by side (`any`), or each ends the former as it is issued (`one`). The owner is a client, or a member at that client. No later file brings an ended token back. An API that checks JWTs by their signature alone does not notice.',
    example: 'one',
    tells: {
      row: 'live access tokens',
      words: (live) => (live === 'one' ? 'one of an owner' : 'any number'),
      isStrict: (live) => live === 'one',
    },
  }),
  lifetime: key(lifetimeSchema, {
    text: 'How long an access token is good, from its issue (G-23). It ends with its login at the latest (`tokens.refresh.longest`). `check` warns if this lifetime is longer than that, or longer than a day. The client credentials grant has no login, so there this limit does not apply.',
    example: '15m',
    departs: [longAccessTokens],
  }),
  requested: key(v.exactOptional(requestedSchema), {
    text: 'Lets a token request choose the lifetime of its access token within bounds, by the input `access_lifetime` of a token endpoint: by a number up to `longest`, or by `words`. A request that asks for none gets the usual lifetime. An answer that is told again (`tokens.refresh.grace`) keeps the lifetime that it had. As any other, the token ends with its login at the latest.',
    example: '{ longest: 12h }',
    otherwise: 'no request chooses',
  }),
  algorithm: key(v.optional(v.picklist(signingAlgorithms), 'ES256'), {
    text: 'What JWTs are signed with, refresh tokens included (RFC 7518, RFC 8037). It has no effect if nothing is a JWT.',
    example: 'EdDSA',
  }),
  token_id: key(v.optional(v.picklist(['uuid', 'number']), 'uuid'), {
    text: "The form of a token's identifier, `jti` in JWTs: a UUID, or a whole number from 1 to 2^53-1 (P-7).",
    example: 'number',
  }),
  issuer: key(v.exactOptional(issuerSchema), {
    text: '`iss` of JWTs. Metadata and identity tokens keep the public address. Tokens from before, with the public address, go on being good; if this changes or is taken away, those with it are good no more.',
    example: 'https://login.club.example',
    otherwise: "the programme's public base URL (C-9)",
    departs: [
      {
        name: 'other_issuer',
        when: () => true,
        message: 'access tokens name another issuer than metadata (RFC 9068 4, RFC 8414 3.3)',
        hint: 'tell each API this issuer and the address of the key set, since it cannot find them',
      },
    ],
  }),
  subject: key(v.exactOptional(tokenFieldSchemas.field), {
    text: "`sub` of members' JWTs, as a [field](#fields-of-an-answer) of constants, `membership_number`, `subject` and `member.NAME`. Jetway knows the owner by the header of the token. A member who lacks one of the values gets no token, and if the text begins as those of clients (`tokens.client_subject_prefix`), the request is answered as an outage (C-9). Clients' own tokens, and the named value `subject`, keep Jetway's.",
    example: '{ joined: [{ constant: "member/" }, membership_number] }',
    otherwise: "the directory's subject (C-9)",
    departs: [
      {
        name: 'other_subject',
        when: (field) => !neededValues(new Map([['sub', field]]), '').has('subject'),
        message: 'two members can have the same sub (RFC 7519 4.1.2, RFC 9068 2.2)',
        hint: 'an API takes them for one: make sure that no value is given twice, or join subject to it',
      },
    ],
  }),
  claims: key(v.optional(tokenFieldSchemas.tree, {}), {
    text: "Claims of the dialect's own, as [fields](#fields-of-an-answer). A JWT always has `iss`, `aud`, `sub`, `client_id`, `jti`, `iat` and `exp`, and `scope` and `family` if there are any. Those win over claims of the same name.",
    example: '{ programme: programme_identifier, level: level }',
  }),
});

const refreshSchema = v.strictObject({
  format: key(v.optional(v.picklist(['opaque', 'jwt']), 'opaque'), {
    text: 'The look of a refresh token. `jwt` is for clients that insist on one (P-7). Jetway finds both kinds by digest and trusts nothing that a refresh token says.',
    example: 'jwt',
  }),
  form: key(v.exactOptional(valueShapeSchema), {
    text: 'What an opaque refresh token looks like, as `tokens.access.form`. Jetway knows a used one until its own end, so that reuse is noticed.',
    example: '{ prefix: ghr_, length: 76 }',
    otherwise: "Jetway's own: `r` and 60 characters of base64url",
  }),
  begins_with: key(memberProperty, {
    text: 'A property of the member with which refresh tokens of a form begin, as `tokens.access.begins_with`.',
    example: 'member.region',
    otherwise: 'nothing of the member',
  }),
  lifetime: key(lifetimeSchema, {
    text: 'How long a refresh token is good if it is not used. Each use gives a new token; if `rotation` is off, it begins the time of the same token anew. At most `longest`: then a refresh token ends with its login alone.',
    example: '12h',
  }),
  longest: key(lifetimeSchema, {
    text: 'The end of a login: after it no token that came from the login is good, however often it was refreshed. It is required, and in force, also without a refresh grant.',
    example: '90d',
    tells: { row: 'longest time of a login', isSpan: true },
  }),
  grace: key(v.optional(durationSchema, '10s'), {
    text: 'How long a client may try again with a used refresh token, because its connection broke. It gets the same new refresh token in answer once more; within a minute also the same access token. An hour at most. `0s` allows no retry.',
    example: '30s',
    tells: { row: 'time in which a refresh can be repeated', isSpan: true },
    departs: [
      {
        name: 'long_grace',
        when: (grace, { get }) =>
          grace > usualGrace &&
          get('tokens', 'refresh', 'rotation') !== 'off' &&
          get('grants', 'refresh_token') !== undefined,
        message:
          'a refresh token that was used stays good for more than 5 minutes (RFC 9700 4.14.2)',
        hint: 'it is good no more once its successor was used',
      },
    ],
  }),
  rotation: key(v.optional(v.picklist(['on', 'off', 'with_pkce']), 'on'), {
    text: 'Whether each use of a refresh token replaces it. `off`: it stays the same, and answers repeat it unless `only` leaves it out. `with_pkce`: as `on` for logins whose request had a `code_challenge`, for public clients, and for logins from before this was set; as `off` for all others. A token that was replaced before stays replaced. Tell partners before you turn it on: from then on each use replaces their token.',
    example: 'off',
    tells: {
      page: (rotation) =>
        rotation === 'on'
          ? undefined
          : `**A refresh token stays the same${rotation === 'off' ? '' : ' if its login had no PKCE challenge'}**, and several of your servers can use it at once. Each use begins its lifetime anew. Keep it as you keep your secret: whoever has both has the login.`,
    },
    departs: [
      {
        name: 'lasting_refresh_tokens',
        when: (rotation, { get }) =>
          rotation !== 'on' && get('grants', 'refresh_token') !== undefined,
        message:
          'refresh tokens stay, so that the use of a stolen one is not noticed (RFC 9700 4.14.2)',
        hint: 'clients must prove themselves with each, and revoking it ends all tokens of its login',
      },
    ],
  }),
});

const prefixSchema = matching(
  /^[!-~]{0,63}[!-/:-@[-`{-~]$/,
  'expected visible ASCII that ends with a sign, such as client:',
);

export const tokensSchema = v.strictObject({
  client_subject_prefix: key(v.optional(prefixSchema, 'client:'), {
    text: "What stands before the client identifier in the `sub` of a client's own token, so that nobody takes it for a member's (C-9). If it changes, Jetway refuses the tokens that clients have by then. A member whose subject begins so gets no token: those logins and refreshes are answered as an outage, and the log says why.",
    example: '"partner:"',
  }),
  access: key(accessSchema, {
    text: 'Access tokens: what a partner presents to the API.',
    example: '{ format: jwt, lifetime: 15m }',
  }),
  refresh: key(refreshSchema, {
    text: 'Refresh tokens. Each is used once and answered with its successor, unless `rotation` is off. Reuse revokes all tokens of the login (G-23, RFC 9700 4.14).',
    example: '{ lifetime: 7d, longest: 90d }',
  }),
});

export const tokenResponseSchema = v.pipe(
  v.strictObject({
    status: key(v.optional(v.picklist([200, 201]), 200), {
      text: 'Its HTTP status.',
      example: '201',
      departs: [
        {
          name: 'other_success_answer',
          isQuiet: true,
          when: (status) => status !== 200,
          message: 'answers with tokens have another status than 200 (RFC 6749 5.1)',
          hint: 'standard clients may take it for a failure',
        },
      ],
    }),
    encoding: key(v.optional(v.picklist(encodings), 'json'), {
      text: 'The form of its body. `json`: a JSON object. `form`: `application/x-www-form-urlencoded`, with lists as repeated names. `xml`: one element around all, with lists as repeated elements. `text`: the bare value of its one field.',
      example: 'form',
    }),
    content_type: key(v.exactOptional(contentTypeSchema), {
      text: 'Its `Content-Type`. It changes nothing about the body.',
      example: 'application/json; charset=utf-8',
      otherwise: 'that of the encoding',
      departs: [
        {
          name: 'other_success_answer',
          isQuiet: true,
          when: (type, { get }) =>
            get('token_response', 'encoding') === 'json' &&
            !/^application\/json *(?:;|$)/i.test(type),
          message: 'answers with tokens do not say application/json (RFC 6749 5.1)',
          hint: 'standard clients may not read them',
        },
      ],
    }),
    before: key(v.exactOptional(openingSchema), {
      text: "A text that stands before a body of JSON, such as `)]}',` and a line break, which keeps a page of another site from running it as a script.",
      example: '")]}\',\\n"',
      otherwise: 'nothing',
      departs: [textBeforeAnswers],
      tells: { page: openingWords('The body of each answer with tokens') },
    }),
    headers: key(v.optional(responseHeadersSchema, {}), {
      text: 'Headers beside those that Jetway sets itself: texts that are always the same, or [fields](#fields-of-an-answer), so that a header can hold the token. A field that is absent is left out. Values are ASCII: as in the headers of `verify`, `%` and anything else is percent-encoded.',
      example: '{ X-Interface-Version: v1, X-Subject-Token: { value: access_token } }',
    }),
    cookies: key(v.optional(cookiesSchema, {}), {
      text: 'Cookies that it sets, by name, so that a browser carries a token: [cookie](#cookies). The login page has the names that begin with `jetway_`, in any case and after `__Host-` or `__Secure-` too.',
      example: '{ session: { value: access_token, path: /api } }',
    }),
    fields: key(tokenFieldSchemas.tree, {
      text: "The members of the answer, in order, as [fields](#fields-of-an-answer). A map is laid over the variant's. A list of maps replaces the variant's fields and fixes their order. A field, a header or a cookie must hold `access_token`.",
      example: '[{ accessToken: access_token }, { expiresIn: access_lifetime }]',
    }),
    wrap: key(v.optional(v.array(textSchema), []), {
      text: 'Names of objects around the whole answer, outermost first: `[token]` gives `{"token":{…}}` (P-8).',
      example: '[data, token]',
    }),
    name_case: key(v.optional(v.picklist(nameCases), 'as_written'), {
      text: 'The case of all names in the answer (P-8), also of those in `wrap`.',
      example: 'upper',
    }),
  }),
  v.transform(withContentType),
);
