// Owns the schema of the login request: its inputs, its answers and its failures.

import * as v from 'valibot';

import {
  loginErrorCode,
  pageOnlyLoginReasons,
  redirectableLoginReasons,
} from '../oauth/login_reasons.ts';
import { key, type KeyDeparture, listed, named, note, type Output } from '../schema/notes.ts';
import { listOf, matching, textSchema, wholeNumber, wireNameSchema } from '../schema/scalars.ts';
import { fieldSchemasOf } from './field_schema.ts';
import { endpointSchema, roleNameSchema } from './input_schema.ts';
import { pageTextSchema } from './page_schema.ts';
import { type RedirectSignature, redirectSignatureSchema } from './signature_schema.ts';
import { valueShapeSchema } from './value_shape.ts';
import { redirectVocabulary } from './vocabularies.ts';

const pageFailureSchema = v.pipe(
  v.strictObject({
    page: key(
      v.strictObject({
        status: key(wholeNumber(400, 599), {
          text: 'HTTP status of the page.',
          example: '403',
        }),
        title: key(pageTextSchema, {
          text: 'Heading and title of the page (G-7: `Security Issue`).',
          example: 'Security Issue',
        }),
        text: key(pageTextSchema, {
          text: 'The sentence below the heading. It is shown as text: markup has no meaning in it.',
          example: 'The login request names a partner that is not known here.',
        }),
      }),
      {
        text: 'A page for the user, who stays here. A failure that comes before client and redirect URI are known good can be nothing else (RFC 6749 4.1.2.1).',
        example: '{ status: 403, title: No access, text: This partner cannot log members in. }',
        otherwise: 'one of `page` and `redirect` is required',
      },
    ),
  }),
  named('page failure'),
);

const redirectSchema = v.strictObject({
  redirect: key(
    matching(/^[A-Za-z0-9_.-]{1,60}$/, 'expected an error code such as invalid_request'),
    {
      text: 'Sends the browser back to the partner (302) with this error code, and with `state` if the request had one (G-5, P-12).',
      example: 'invalid_scope',
      otherwise: 'one of `page` and `redirect` is required',
    },
  ),
  error_description: key(v.exactOptional(textSchema), {
    text: 'What the redirect can say of this failure beside its code. It is the value `error_description` of `authorize.answer.more`.',
    example: 'The login request is incomplete',
    otherwise: 'none',
  }),
});

const failureSchema = v.pipe(
  v.lazy((input) =>
    typeof input === 'object' && input !== null && 'page' in input
      ? pageFailureSchema
      : redirectSchema,
  ),
  named('login failure'),
  note({ alternatives: () => [pageFailureSchema, redirectSchema] }),
);

/**
 * How an answer comes back to the partner (OAuth 2.0 Multiple Response Types 2.1, Form Post), and what
 * partners are told of it.
 */
export const modeRows = {
  query: '',
  fragment: ', in the fragment',
  form_post: ', in a form that it posts; cookies of yours with `SameSite=Lax` do not come along',
} as const;
export type ResponseMode = keyof typeof modeRows;
export const responseModes = Object.keys(modeRows) as readonly ResponseMode[];

export function isResponseMode(text: string | undefined): text is ResponseMode {
  return responseModes.some((mode) => mode === text);
}

/** Of a parameter on the redirect. */
function renamed(standard: string): KeyDeparture<string> {
  return {
    name: 'renamed_answer',
    isQuiet: true,
    when: (name) => name !== standard,
    message: `standard clients look for ${standard} on the redirect (RFC 6749 4.1.2)`,
    hint: 'partners of this programme need the client its document describes',
  };
}

const answerSchema = v.strictObject({
  mode: key(v.optional(v.picklist(responseModes), 'query'), {
    text: 'How code and failures come back. `query`: in the query of the redirect URI. `fragment`: in its fragment. `form_post`: a page posts them there as a form (OAuth 2.0 Form Post Response Mode); a redirect URI that is neither http nor https gets the query. If there is an input `response_mode`, each login request can choose among the `allowed` of that input.',
    example: 'form_post',
    departs: [
      {
        name: 'other_response_mode',
        isQuiet: true,
        when: (mode) => mode !== 'query',
        message: 'codes do not come back in the query (RFC 6749 4.1.2)',
        hint: 'an input response_mode with allowed: [query] lets standard clients ask for it',
      },
    ],
  }),
  code: key(v.optional(wireNameSchema, 'code'), {
    text: 'Carries the authorization code after a login.',
    example: 'authCode',
    departs: [renamed('code')],
  }),
  error: key(v.optional(wireNameSchema, 'error'), {
    text: 'Carries the error code of a failure that is told by redirect.',
    example: 'errorCode',
    departs: [renamed('error')],
  }),
  state: key(v.optional(wireNameSchema, 'state'), {
    text: 'Carries the `state` of the login request back, if the request had one of the declared shape.',
    example: 'context',
    departs: [renamed('state')],
  }),
  issuer: key(v.exactOptional(wireNameSchema), {
    text: "Carries the programme's issuer, so that a client of several servers can tell whose answer it is (RFC 9207 calls it `iss`).",
    example: 'iss',
    otherwise: 'no issuer is sent',
  }),
  signature: key(v.exactOptional(redirectSignatureSchema), {
    text: "Signs the redirect with a code by the client's signing secret: by the older of two while that is good, so that a partner can install the newer.",
    example: '{ name: hmac, hmac: sha256, of: [code, state] }',
    otherwise: 'redirects are not signed',
    tells: { page: checkText },
  }),
  more: key(v.optional(fieldSchemasOf(redirectVocabulary).tree, {}), {
    text: 'What else stands on the redirect, by wire name, as [fields](#fields-of-an-answer) that are texts. `only` names `code`, for the redirect with a code, or [failures](#failures-of-a-login-request). A value that is absent is left out.',
    example:
      '{ realmId: client.realm_id, error_description: error_description, region: { constant: eu, only: [code] } }',
  }),
});

function checkText(signature: RedirectSignature | undefined): string | undefined {
  if (signature === undefined) return undefined;
  const { name, hmac, encoding, of } = signature;
  const signed = of.map((one) => `\`${one}\``).join(', ');
  return `**Check the signature of the code**: \`${name}\` is the HMAC by ${hmac} (${encoding}), under your signing secret, of ${signed}, in this order, each as \`name=value\` with \`&\` between. What the redirect does not have is left out; in a value \`%\` is signed as \`%25\` and \`&\` as \`%26\`. Compare it in constant time, and use no code whose signature is wrong. While you have two signing secrets, the older one signs.`;
}

const redirectUriAtLogin = v.picklist(['required', 'optional_when_single']);

/** What stands in a query as it is. */
const variedNameSchema = matching(
  /^[A-Za-z0-9._~-]{1,60}$/,
  'expected the name of a parameter, of 1 to 60 letters, digits, ".", "_", "~" or "-"',
);

const redirectUriMap = v.strictObject({
  login: key(v.optional(redirectUriAtLogin, 'optional_when_single'), {
    text: 'Whether a client must always send `redirect_uri` (`required`), or may leave it out if exactly one is registered (G-3). A client with several must send it in any case.',
    example: 'required',
    tells: {
      row: 'redirect_uri',
      words: (rule) => (rule === 'required' ? rule : 'optional for a client with only one'),
      isStrict: (rule) => rule === 'required',
    },
  }),
  token: key(v.optional(v.picklist(['optional', 'if_sent']), 'optional'), {
    text: 'Whether the request that redeems a code must hold the `redirect_uri` of the login request. `if_sent`: if that had one. `optional`: it can be left out. If it comes, it is compared in either case.',
    example: 'if_sent',
    tells: {
      row: 'redirect_uri beside a code',
      words: (rule) => (rule === 'optional' ? rule : 'required if the login request had it'),
      isStrict: (rule) => rule === 'if_sent',
      page: (rule) =>
        rule === 'if_sent'
          ? '**Repeat the redirect URI**: if the login request had one, send the same beside the code.'
          : undefined,
    },
    departs: [
      {
        name: 'redirect_uri_not_repeated',
        isQuiet: true,
        when: (rule, { get }) =>
          rule === 'optional' && get('grants', 'authorization_code') !== undefined,
        message:
          'a code is redeemed without the redirect URI that its login request had (RFC 6749 4.1.3)',
        hint: 'standard clients repeat it: set authorize.redirect_uri.token to if_sent',
      },
    ],
  }),
  varies: key(v.optional(listOf(variedNameSchema), []), {
    text: 'Names of parameters with which a registered redirect URI may end: one of them, once, with a value of 1 to 128 letters, digits, `.`, `_`, `~` or `-`. The `?` (or `&` behind a query), name and value are the last of the text; all before them is compared to the letter. The answer goes to the whole, and a token request must name the whole.',
    example: '[redirect_state]',
    tells: {
      row: 'what may follow a redirect URI',
      words: (names) => names.join(' or ') || 'nothing',
      page: (names) =>
        names.length === 0
          ? undefined
          : `**Your redirect URI may end with a parameter** ${names.map((name) => `\`${name}\``).join(' or ')}: \`?\` (or \`&\` behind a query), the name, \`=\`, and 1 to 128 letters, digits, \`.\`, \`_\`, \`~\` or \`-\`. Send the same text beside the code.`,
    },
    departs: [
      {
        name: 'varying_redirect_uri',
        when: (names) => names.length > 0,
        message:
          'redirect URIs are taken that differ from the registered text by a parameter (RFC 9700 4.1.3)',
        hint: 'its value holds nothing that is decoded, and the text before it is compared to the letter',
      },
    ],
  }),
});

/** A word is short for the rule of login requests. */
const redirectUriSchema = v.optional(
  v.pipe(
    v.union([redirectUriAtLogin, redirectUriMap]),
    v.transform((rule) =>
      typeof rule === 'string' ? v.parse(redirectUriMap, { login: rule }) : rule,
    ),
  ),
  'optional_when_single',
);

export const authorizeSchema = v.strictObject({
  endpoint: key(endpointSchema, {
    text: 'Path, methods and inputs of the login request. Jetway reads it from the query. With POST among `methods` and `read: [query, form]`, a page can post it as a form, too (OpenID Connect Core 3.1.2.1). It must declare `client_id`, `response_type` and `redirect_uri`. Repeated inputs are refused, whatever `repeated` says.',
    example: '{ path: /connect, methods: [GET, POST] }',
  }),
  redirect_status: key(v.optional(v.picklist([302, 303]), 302), {
    text: 'Status of the redirect to the login page. If the login request is a POST, 303 makes every browser go on with GET.',
    example: '303',
  }),
  binds: key(v.optional(v.picklist(['request', 'first_page']), 'request'), {
    text: "Which browser a login belongs to. `request`: the browser that sent the login request; it gets the cookie of the login with the redirect. `first_page`: the browser that gets the login page first. The partner's server can then send the request and hand the `Location` to the browser (P-3). docs/decisions/022-login-binding.md says what each guards against.",
    example: 'first_page',
  }),
  redirect_uri: key(redirectUriSchema, {
    text: 'Rules of the redirect URI. A word by itself is `login`.',
    example: 'required',
  }),
  pkce: key(v.optional(v.picklist(['off', 'optional', 'required']), 'optional'), {
    text: 'Proof keys for codes (RFC 7636, S256 only). `required`: a login request without `code_challenge` is refused. `optional`: Jetway enforces a challenge if one is sent. `off`: Jetway reads none of the inputs for it, even if they are declared.',
    example: 'required',
    tells: { row: 'PKCE', isStrict: (pkce) => pkce === 'required' },
    departs: [
      {
        name: 'no_pkce',
        when: (pkce) => pkce === 'off',
        message: 'proof keys for codes are not supported (RFC 9700 2.1.1)',
        hint: 'codes are bound to client and redirect URI and need the client secret',
      },
    ],
  }),
  draws: key(v.optional(v.record(roleNameSchema, valueShapeSchema), {}), {
    text: 'Values that each login draws anew, by name: a [value shape](#value-shapes). `member.drawn.NAME` is such a value on the redirect (`authorize.answer.more`), in answers, in claims and for gateways, until the login ends. If a token endpoint has an input of the same name, each code and refresh token of the login must come with the value there, and an exchange of its tokens, too. Without it the request is `missing_parameter`, with another value a bad code or token.',
    example: '{ device_id: { characters: alphanumeric, length: 32 } }',
    tells: {
      row: 'values that each login draws',
      words: (draws) => Object.keys(draws).join(', ') || 'none',
    },
  }),
  answer: key(answerSchema, {
    text: 'Names of the parameters on the redirect back to the partner (RFC 6749 4.1.2).',
    example: '{ code: authCode, error: errorCode }',
  }),
  failures: key(
    v.strictObject({
      ...listed(pageOnlyLoginReasons, () => pageFailureSchema),
      ...listed(redirectableLoginReasons, (reason) =>
        v.optional(failureSchema, { redirect: loginErrorCode(reason) ?? 'invalid_request' }),
      ),
    }),
    {
      text: 'What each failure of a login request becomes: a page for the user, or a redirect with an error code. A failure that can be a redirect is one with the code of RFC 6749 4.1.2.1 if it is left out; each of the others needs its page. The list is [below](#failures-of-a-login-request).',
      example: '{ access_denied: { redirect: not_a_partner } }',
    },
  ),
});

export type AuthorizeDefinition = Output<typeof authorizeSchema>;
export type PageFailure = Output<typeof pageFailureSchema>;
export type RedirectFailure = Output<typeof redirectSchema>;
