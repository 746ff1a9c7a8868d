// Owns the schema of `client`: what identifiers look like, and how clients authenticate.

import * as v from 'valibot';

import { basicCharsets, credentialEncodings, secretHalves } from '../oauth/basic.ts';
import { authenticationMethods, isHeaderMethod, isBySecret } from '../oauth/methods.ts';
import { key, type Output } from '../schema/notes.ts';
import { listOf } from '../schema/scalars.ts';
import { schemeSchema } from './input_schema.ts';
import { failureLimitSchema, unlimited } from './limits.ts';
import { assertionSchema } from './tokens/assertion_schema.ts';
import { valueShapeSchema } from './value_shape.ts';

export type ClientAuthentication = Output<typeof authenticationSchema>;

/** Whether credentials are read from the Authorization header. */
export function readsHeader({ methods, secret_half: half }: ClientAuthentication): boolean {
  return half !== undefined || methods.some(isHeaderMethod);
}

const authenticationSchema = v.strictObject({
  methods: key(
    v.pipe(listOf(v.picklist(authenticationMethods)), v.nonEmpty('expected at least one method')),
    {
      text: 'What is accepted: `basic` is `Authorization: Basic base64(id:secret)` (RFC 7617), `bare_basic` the same without the word Basic (P-6), `parameters` the inputs `client_id` and `client_secret` under whatever wire names they have. `secret` is a secret without an identifier, by which the client is found: the input `client_secret` where no `client_id` came, or `secret_half`. With `none` (RFC 7591) the input `client_id` alone is enough for public clients (`client add --public`), which have no secret, get no tokens of their own, and need `pkce: required` where they log members in. With `token` a refresh token or `subject_token` that comes without credentials names its client itself, if it is of a login; an endpoint for that grant alone then needs no `client_id`. `private_key_jwt` takes the input `client_assertion`, a JWT that the client signs (RFC 7523 2.2, `client add --jwks`), beside `client_assertion_type` where that is declared. With RFC 8705 the input `client_id` stands beside a certificate of the TLS connection, which counts where neither header nor `client_secret` came: `self_signed_tls_client_auth` takes a certificate that is registered itself (`client add --certificate`), `tls_client_auth` the registered name in one that an authority vouches for (`--certificate-subject`). Both need `tls` in the configuration.',
      example: '[basic, bare_basic]',
      departs: [
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
    },
  ),
  credentials: key(v.optional(v.picklist(credentialEncodings), 'raw'), {
    text: 'How identifier and secret stand in the header: `raw` takes them as they are (RFC 7617), `form` decodes them first (percent and plus), as RFC 6749 2.3.1 has it, `either` takes both, since clients do the one or the other, and `base64` has each of the two in base64 by itself before they are joined. What Jetway generates is the same in all.',
    example: 'form',
  }),
  basic_charset: key(v.optional(v.picklist(basicCharsets), 'utf-8'), {
    text: 'The charset of identifier and secret inside the base64 of the header, which RFC 7617 leaves open: `utf-8` alone, or `utf-8_or_iso-8859-1`, for partners whose library sends ISO-8859-1 (Python requests, `btoa` of JavaScript). Bytes that are UTF-8 are read as that; any others are taken as ISO-8859-1, unless a control character were in them, and are never form-decoded. A secret is registered as text, so it is the same in both.',
    example: 'utf-8_or_iso-8859-1',
  }),
  assertion: key(v.optional(assertionSchema, {}), {
    text: 'Which assertions are good: with the method `private_key_jwt`, and of the grant `jwt_bearer`.',
    example: '{ audience: token_endpoint, longest: 5m }',
  }),
  scheme: key(v.optional(schemeSchema, 'Basic'), {
    text: 'The word before the credentials of `basic`, where it is another than Basic; gateways keep Basic.',
    example: 'Client',
  }),
  when_both: key(v.optional(v.picklist(['refuse', 'header']), 'refuse'), {
    text: 'What a request gets that has both credentials in the header and an input `client_secret`, as many clients send it: `refuse` answers `authentication_ambiguous` (RFC 6749 2.3), with `header` the header alone counts.',
    example: 'header',
  }),
  secret_half: key(v.exactOptional(v.picklist(secretHalves)), {
    text: 'With the method `secret`, reads it from `Authorization: Basic`, too: the part before the colon (`first`) or after it (`second`), whatever the other one is, or `either`, where the other is empty.',
    example: 'either',
    otherwise: 'such a secret is the input `client_secret`',
  }),
  failure_limit: key(
    failureLimitSchema(600, '1m', {
      limit: { text: 'Failures in one window.', example: '60' },
      window: {
        text: 'Length of the window, from the first failure. `Retry-After` tells when it ends.',
        example: '5m',
      },
    }),
    {
      text: 'How many wrong secrets for one client identifier, known or not, or without one, may come from one address (of IPv6, one /64) in a window of time; after that a wrong one is answered `throttled` until the window ends. Identifiers share 64 counts of an address. The right secret is let in even then, so that nobody locks a partner out. Wrong API keys are counted by address too if a trusted proxy tells it; over the limit they get the same answer, without a line of the log. In place of a map, `off`.',
      example: '{ limit: 60, window: 1m }',
      departs: [unlimited('no_failure_limit', 'wrong secrets for one client')],
    },
  ),
});

export const clientSchema = v.strictObject({
  identifier: key(valueShapeSchema, {
    text: 'The shape of `client_id` (G-1, P-1): `jetway client add` draws new ones of it, and a login request with another shape gets `unknown_client`.',
    example: '{ prefix: hh-, characters: digits, length: 8 }',
  }),
  authentication: key(authenticationSchema, {
    text: 'How a client proves at the token endpoints that it is itself (RFC 6749 2.3).',
    example: '{ methods: [basic], credentials: form }',
  }),
});
