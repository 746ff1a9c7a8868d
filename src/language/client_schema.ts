// Owns the schema of `client`: what identifiers look like, and how clients authenticate.

import * as v from 'valibot';

import {
  basicCharsets,
  credentialEncodings,
  type SecretHalf,
  secretHalves,
} from '../oauth/basic.ts';
import { type AuthenticationMethod, isHeaderMethod, isBySecret } from '../oauth/methods.ts';
import { key, type Output, type Surroundings } from '../schema/notes.ts';
import { textSchema } from '../schema/scalars.ts';
import { type EndpointDefinition, methodsSchema, schemeSchema } from './input_schema.ts';
import { failureLimitSchema, unlimited } from './service_schemas.ts';
import { requestSignatureSchema } from './signature_schema.ts';
import { assertionSchema } from './tokens/assertion_schema.ts';
import { valueShapeSchema } from './value_shape.ts';

export type ClientAuthentication = Output<typeof authenticationSchema>;

/** What says where credentials are read. */
interface Ways {
  readonly methods: readonly AuthenticationMethod[];
  readonly secret_half?: SecretHalf;
}

/** Whether credentials are read from the Authorization header. */
export function readsHeader({ methods, secret_half: half }: Ways): boolean {
  return half !== undefined || methods.some(isHeaderMethod);
}

const at = ['client', 'authentication'] as const;

/** The schema has made the value. */
function waysIn(get: Surroundings['get']): Ways {
  return get(...at) as Ways;
}

/** Whether an endpoint of the grant takes a token alone, where the dialect does. */
function takesTokenFor(get: Surroundings['get'], grant: string): boolean {
  const names = (get('grants', grant, 'endpoint') ?? []) as readonly string[];
  return names.some((name) => {
    const own = get('token_endpoints', name, 'authentication') as Ways['methods'] | undefined;
    return own?.includes('token') !== false;
  });
}

/** The terms of one endpoint, which can take fewer methods than the dialect has. */
export function authenticationAt(
  {
    client: { authentication },
  }: { readonly client: { readonly authentication: ClientAuthentication } },
  { authentication: methods }: Pick<EndpointDefinition, 'authentication'>,
): ClientAuthentication {
  if (methods === undefined) return authentication;
  const { secret_half: half, ...shared } = authentication;
  const isHalf = half !== undefined && methods.includes('secret');
  return { ...shared, methods, ...(isHalf ? { secret_half: half } : {}) };
}

const authenticationSchema = v.strictObject({
  methods: key(methodsSchema, {
    text: 'The ways in which clients may prove themselves. `basic`: `Authorization: Basic base64(id:secret)` (RFC 7617). `bare_basic`: the same without the word Basic (P-6). `parameters`: the inputs `client_id` and `client_secret`, under whatever wire names they have. `secret`: a secret without an identifier, by which Jetway finds the client. It is the input `client_secret` of a request without `client_id`, or `secret_half`. `none` (RFC 7591): a public client (`client add --public`) sends the input `client_id` alone. It has no secret and gets no tokens of its own; if it logs members in, `pkce` must be `required`. `unnamed`: a request without any credentials is taken for one of the public client that `unnamed_client` names, at the login too. A request with credentials of another method, or with broken ones, is refused as without this. `token`: the client sends no credentials. Jetway finds it by the refresh token (or `subject_token`), if that token came from a login. An endpoint that serves only this grant then needs no `client_id`. `own_token`: the input `client_token`, a live access token that the client got for itself. It does not give another of that kind. With `token_exchange` the `subject_token` is enough, if it is such a token; what it is exchanged for is no proof, so that it does not renew itself. `signature`: the inputs `client_id` and `client_signature`, which the client makes with its signing secret as `signature` says. `private_key_jwt`: the input `client_assertion`, a JWT that the client signs (RFC 7523 2.2, `client add --jwks`). If `client_assertion_type` is declared, it must come too. `self_signed_tls_client_auth` and `tls_client_auth` (RFC 8705): the input `client_id` and a certificate of the TLS connection, which counts if neither header nor `client_secret` came. The first takes a certificate that is registered itself (`client add --certificate`). The second takes a certificate with the registered name, for which an authority vouches (`--certificate-subject`). Both need `tls` in the configuration.',
    example: '[basic, bare_basic]',
    departs: [
      {
        name: 'parameters_secret',
        when: (methods) => methods.includes('parameters'),
        message: 'client secrets are taken as parameters (RFC 6749 2.3.1)',
        hint: (_, { get }) =>
          `bodies are never logged${get(...at, 'when_both') === 'refuse' ? ', and header and parameter together are refused' : ''}`,
      },
      {
        name: 'refresh_token_alone',
        when: (methods, { get }) =>
          methods.includes('token') && takesTokenFor(get, 'refresh_token'),
        message:
          'a thief of a refresh token needs no credentials to get access tokens with it, until its login ends (RFC 6749 6)',
        hint: (_, { get }) =>
          get('tokens', 'refresh', 'rotation') !== 'on'
            ? 'nothing shows the theft where tokens.refresh.rotation lets a token stay: turn it on, so that the second use of a token ends its login'
            : 'as soon as thief and client have both used one token, the login ends with all of its tokens; before that, revoke the refresh token',
      },
      {
        name: 'subject_token_alone',
        when: (methods, { get }) =>
          methods.includes('token') && takesTokenFor(get, 'token_exchange'),
        message:
          'a thief of an access token needs no credentials to exchange it for a new one, again and again, until its login ends (RFC 8693 2.1)',
        hint: 'to revoke the stolen token ends all that was exchanged from it; a short tokens.refresh.longest and a narrow scope limit the rest',
      },
      {
        name: 'own_token_proof',
        when: (methods) => methods.includes('own_token'),
        message:
          "a thief of a client's own access token can redeem the client's codes and exchange that token, as long as it lives (RFC 6749 2.3)",
        hint: 'it gets no other token of its own, and what it is exchanged for proves nothing; keep the lifetime of the grant short',
      },
      {
        name: 'signature_replay',
        when: (methods) => methods.includes('signature'),
        message: 'whoever sees a request that a client has signed can send it again (RFC 9700 2.5)',
        hint: 'it is good for the same values alone; codes are good once, and tokens of the client have a scope',
      },
      {
        name: 'unnamed_client',
        when: (methods) => methods.includes('unnamed'),
        message:
          'requests that name no client are taken for one of the programme (RFC 6749 3.2.1 and 4.1.1)',
        hint: 'it has no secret and gets no tokens of its own; passwords are limited by the address that they come from, as on the login page',
      },
      {
        name: 'bare_basic',
        when: (methods) => methods.includes('bare_basic'),
        message: 'credentials are taken without the scheme Basic (RFC 7617 2)',
        hint: 'they are decoded as strictly as with it',
      },
      {
        name: 'secret_alone',
        when: (methods) => methods.includes('secret'),
        message:
          'clients are known by a secret without an identifier, so that one guess may hit any of them (RFC 6749 2.3.1)',
        hint: 'secrets that Jetway makes have 256 bits, and failures count by address; give out no short ones',
      },
      {
        name: 'no_basic',
        isQuiet: true,
        when: (methods) => !methods.includes('basic') && methods.some(isBySecret),
        message: 'clients that have a secret cannot send it by Basic (RFC 6749 2.3.1)',
        hint: 'add basic',
      },
    ],
  }),
  unnamed_client: key(v.exactOptional(textSchema), {
    text: 'With the method `unnamed`: the `client_id` of the client that stands for requests without credentials. Register it as a public client (`client add --public --client-id …`) in each environment. What it may do, its limits and its redirect URIs are those of its registration.',
    example: 'app-0001',
    otherwise: 'a request without credentials is refused',
    tells: { row: 'client of requests without credentials' },
  }),
  credentials: key(v.optional(v.picklist(credentialEncodings), 'raw'), {
    text: 'How identifier and secret stand in the header. `raw`: as they are (RFC 7617). `form`: form-encoded, with percent and plus (RFC 6749 2.3.1). `either`: Jetway takes both, since some clients do the one and some the other. `base64`: each of the two in base64 by itself, before they are joined. What Jetway generates is the same in all of them.',
    example: 'form',
    departs: [
      {
        name: 'raw_credentials',
        when: (encoding, { get }) => encoding === 'raw' && waysIn(get).methods.some(isHeaderMethod),
        message: 'identifier and secret are taken as they are, not form-encoded (RFC 6749 2.3.1)',
        hint: 'identifiers and secrets that Jetway makes are the same in both',
      },
    ],
  }),
  basic_charset: key(v.optional(v.picklist(basicCharsets), 'utf-8'), {
    text: 'The charset of identifier and secret inside the base64 of the header, which RFC 7617 leaves open. `utf-8`: UTF-8 alone. `utf-8_or_iso-8859-1`: for partners whose library sends ISO-8859-1 (Python requests, `btoa` of JavaScript). Jetway then reads bytes that are UTF-8 as UTF-8, and any others as ISO-8859-1. It never form-decodes the others, and refuses them if they give a control character. A secret is registered as text, so it is the same in both.',
    example: 'utf-8_or_iso-8859-1',
  }),
  assertion: key(v.optional(assertionSchema, {}), {
    text: 'Which assertions are good, with the method `private_key_jwt` and in the grant `jwt_bearer`.',
    example: '{ audience: token_endpoint, longest: 5m }',
  }),
  signature: key(v.exactOptional(requestSignatureSchema), {
    text: 'What a client signs, with the method `signature`.',
    example: '{ digest: sha256, of: [client_id, secret, timestamp] }',
    otherwise: 'clients sign nothing',
  }),
  scheme: key(v.optional(schemeSchema, 'Basic'), {
    text: 'The word before the credentials of `basic`, if it is another than Basic. Gateways keep Basic.',
    example: 'Client',
  }),
  when_both: key(v.optional(v.picklist(['refuse', 'header']), 'refuse'), {
    text: 'What happens if a request has credentials in the header and an input `client_secret`, as many clients send it. `refuse`: the answer is `authentication_ambiguous` (RFC 6749 2.3). `header`: the header alone counts.',
    example: 'header',
    departs: [
      {
        name: 'both_methods',
        when: (rule, { get }) => rule === 'header' && readsHeader(waysIn(get)),
        message: 'a request may hold credentials in the header and as parameters (RFC 6749 2.3)',
        hint: 'the header alone counts',
      },
    ],
  }),
  secret_half: key(v.exactOptional(v.picklist(secretHalves)), {
    text: 'With the method `secret`: the half of `Authorization: Basic` in which the secret may also stand. `first`: the part before the colon, whatever the other one is. `second`: the part after it, whatever the other one is. `either`: one of them, if the other is empty.',
    example: 'either',
    otherwise: 'such a secret is the input `client_secret`',
  }),
  failure_limit: key(
    failureLimitSchema(600, '1m', {
      limit: { text: 'How many secrets may be wrong in one window.', example: '60' },
      window: {
        text: 'Length of the window, from the first failure. `Retry-After` tells when it ends.',
        example: '5m',
      },
    }),
    {
      text: 'How many wrong secrets may come from one address (of IPv6, one /64) in a window of time. Jetway counts them by client identifier, known or not, and those without an identifier together. All identifiers of an address share 64 counts. After that a wrong secret is answered `throttled` until the window ends. The right secret is let in even then, so that nobody locks a partner out. If a trusted proxy names the address, Jetway counts wrong API keys by it, too; over the limit they get the same answer, without a line of the log.',
      example: '{ limit: 60, window: 1m }',
      departs: [unlimited('no_failure_limit', 'wrong secrets for one client')],
    },
  ),
});

export const clientSchema = v.strictObject({
  identifier: key(valueShapeSchema, {
    text: 'The shape of `client_id` (G-1, P-1). `jetway client add` draws new ones of it. A login request with another shape gets `unknown_client`.',
    example: '{ prefix: hh-, characters: digits, length: 8 }',
  }),
  authentication: key(authenticationSchema, {
    text: 'How a client proves at the token endpoints that it is itself (RFC 6749 2.3).',
    example: '{ methods: [basic], credentials: form }',
  }),
});
