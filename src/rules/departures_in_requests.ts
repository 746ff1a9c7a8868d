// Owns departures in what requests a dialect takes: how endpoints read them, how clients prove themselves, and
// what a login, a password or an assertion is good for.

import { readsHeader } from '../language/client_schema.ts';
import type { Definition } from '../language/definition.ts';
import { type EndpointDefinition, placesOf } from '../language/input_schema.ts';
import type { Path } from '../lib/fault.ts';
import { isHeaderMethod } from '../oauth/client.ts';
import { grantInputs } from '../oauth/grant.ts';
import { takesAssertions } from '../programme/requests/assertion_terms.ts';
import { endpointsOf, grantsAt } from '../programme/requests/grant_places.ts';
import { type Complaint, wrong } from '../schema/complaint.ts';
import { endpointsIn } from './endpoints.ts';

const methodsAt: Path = ['client', 'authentication', 'methods'];

const loginInputsAt: Path = ['authorize', 'endpoint', 'inputs'];

const hour = 3_600_000;

/** By the stable name of the warning; the message cites the RFC, the hint says what limits the risk. */
export const requestDepartures: Readonly<
  Record<string, (definition: Definition) => Iterable<Complaint>>
> = {
  *cookie_read(definition) {
    for (const [at, { inputs }, name] of endpointsIn(definition)) {
      for (const [role, input] of Object.entries(inputs)) {
        if (input.in !== 'cookie' || name === undefined) continue;
        yield [
          [...at, 'inputs', role, 'in'],
          'browsers send a cookie unasked, so other sites may cause such requests (RFC 6265bis 8.2)',
          'they cannot read the answer; let the cookie be SameSite=Strict, or require a header beside it',
        ];
      }
    }
  },

  *tokens_by_get(definition) {
    for (const [at, { methods }, name] of endpointsIn(definition)) {
      yield* wrong([
        name !== undefined && methods.includes('GET'),
        [...at, 'methods'],
        'tokens are issued on GET (RFC 6749 3.2)',
        'answers carry no-store and queries are never logged',
      ]);
    }
  },

  *secrets_in_query(definition) {
    for (const [at, endpoint, name] of endpointsIn(definition)) {
      const exposed = name === undefined ? [] : inQuery(secretInputs(definition, name), endpoint);
      yield* wrong([
        exposed.length > 0,
        [...at, 'read'],
        `the query, which proxies and browsers keep, holds ${exposed.join(' and ')} (RFC 6749 2.3.1, RFC 9700 4.2.4)`,
        'queries are never logged here',
      ]);
    }
  },

  *repeated_parameters(definition) {
    for (const [at, { repeated }] of endpointsIn(definition)) {
      yield* wrong([
        repeated !== 'refuse',
        [...at, 'repeated'],
        'a parameter sent more than once is not refused (RFC 6749 3.1 and 3.2)',
        `the ${repeated} value counts, whatever stands between client and service`,
      ]);
    }
  },

  bare_basic: ({ client }) =>
    wrong([
      client.authentication.methods.includes('bare_basic'),
      methodsAt,
      'credentials are taken without the scheme Basic (RFC 7617 2)',
      'they are decoded as strictly as with it',
    ]),

  parameters_secret: ({ client }) =>
    wrong([
      client.authentication.methods.includes('parameters'),
      methodsAt,
      'client secrets are taken as parameters (RFC 6749 2.3.1)',
      `bodies are never logged${client.authentication.when_both === 'refuse' ? ', and header and parameter together are refused' : ''}`,
    ]),

  secret_alone: ({ client }) =>
    wrong([
      client.authentication.methods.includes('secret'),
      methodsAt,
      'clients are known by a secret without an identifier, so that one guess may hit any of them (RFC 6749 2.3.1)',
      'secrets that Jetway makes have 256 bits, and failures count by address; give out no short ones',
    ]),

  refresh_token_alone: ({ client, grants, tokens: { refresh } }) =>
    wrong([
      client.authentication.methods.includes('token') && grants.refresh_token !== undefined,
      methodsAt,
      'a thief of a refresh token needs no credentials to get access tokens with it, until its login ends (RFC 6749 6)',
      refresh.rotation === 'off'
        ? 'nothing shows the theft while tokens.refresh.rotation is off: turn it on, so that the second use of a token ends its login'
        : 'as soon as thief and client have both used one token, the login ends with all of its tokens; before that, revoke the refresh token',
    ]),

  subject_token_alone: ({ client, grants }) =>
    wrong([
      client.authentication.methods.includes('token') && grants.token_exchange !== undefined,
      methodsAt,
      'a thief of an access token needs no credentials to exchange it for a new one, again and again, until its login ends (RFC 8693 2.1)',
      'to revoke the stolen token ends all that was exchanged from it; a short tokens.refresh.longest and a narrow scope limit the rest',
    ]),

  other_scheme: ({ client: { authentication } }) =>
    wrong([
      authentication.scheme !== 'Basic' && readsHeader(authentication),
      ['client', 'authentication', 'scheme'],
      `credentials come after the word ${authentication.scheme} in place of Basic (RFC 7617 2)`,
      'they are decoded as strictly as with it',
    ]),

  both_methods: ({ client: { authentication } }) =>
    wrong([
      authentication.when_both === 'header' && readsHeader(authentication),
      ['client', 'authentication', 'when_both'],
      'a request may hold credentials in the header and as parameters (RFC 6749 2.3)',
      'the header alone counts',
    ]),

  raw_credentials: ({ client: { authentication } }) =>
    wrong([
      authentication.credentials === 'raw' && authentication.methods.some(isHeaderMethod),
      ['client', 'authentication', 'credentials'],
      'identifier and secret are taken as they are, not form-encoded (RFC 6749 2.3.1)',
      'identifiers and secrets that Jetway makes are the same in both',
    ]),

  assertion_audience: (definition) =>
    inAssertions(
      definition,
      'audience',
      ({ audience }) => audience.some((one) => one !== 'issuer' && one !== 'absent'),
      'assertions are taken whose audience is not the issuer (RFC 7523bis 4)',
      'a client that can be led to the endpoint of a stranger signs for whom that stranger names',
    ),

  assertion_without_audience: (definition) =>
    inAssertions(
      definition,
      'audience',
      ({ audience }) => audience.includes('absent'),
      'assertions are taken that are meant for nobody in particular (RFC 7523 3)',
      'whoever else gets one of the same keys can send it here',
    ),

  assertion_replay: (definition) =>
    inAssertions(
      definition,
      'jti',
      // Left out, it is required of a client_assertion alone.
      ({ jti }) =>
        jti === 'optional' || (jti === undefined && definition.grants.jwt_bearer !== undefined),
      'an assertion without jti is good again until it ends (RFC 7523 3, OpenID Connect Core 9)',
      'write required, or keep longest short; an assertion with jti is good once in any case',
    ),

  long_assertions: (definition) =>
    inAssertions(
      definition,
      'longest',
      ({ longest }) => longest > hour,
      'assertions may live for more than an hour (RFC 7523 3)',
      'one with jti is good once, unless the store was put back since; a key that is taken away ends them all',
    ),

  member_by_assertion: ({ grants }) => {
    const ways = grants.jwt_bearer?.subject ?? [];
    return wrong([
      ways.includes('username') || ways.includes('subject'),
      ['grants', 'jwt_bearer', 'subject'],
      'clients get tokens for any member without that member (RFC 6749 1.3)',
      'give the role of this grant to nobody else; tokens can be revoked by member',
    ]);
  },

  no_pkce: ({ authorize }) =>
    wrong([
      authorize.pkce === 'off',
      ['authorize', 'pkce'],
      'proof keys for codes are not supported (RFC 9700 2.1.1)',
      'codes are bound to client and redirect URI and need the client secret',
    ]),

  no_state: ({ authorize }) =>
    wrong([
      authorize.endpoint.inputs['state'] === undefined,
      loginInputsAt,
      'no state is sent back, so partners cannot tell a forged callback (RFC 6749 4.1.2)',
      'codes go to registered redirect URIs only and are bound to their client',
    ]),

  *code_without_redirect_uri(definition) {
    for (const [name, { inputs }] of endpointsOf(definition, 'authorization_code')) {
      yield* wrong([
        inputs['redirect_uri'] === undefined,
        ['token_endpoints', name, 'inputs'],
        'a code is redeemed without its redirect URI (RFC 6749 4.1.3)',
        'codes are bound to client and redirect URI and live for minutes',
      ]);
    }
  },

  no_nonce: ({ id_token: identity, authorize }) =>
    wrong([
      identity !== undefined && authorize.endpoint.inputs['nonce'] === undefined,
      loginInputsAt,
      'identity tokens name no nonce of the login request (OpenID Connect Core 3.1.2.1)',
      'clients that send one refuse the identity token: add nonce: {}',
    ]),

  no_prompt: ({ id_token: identity, authorize }) =>
    wrong([
      identity !== undefined && authorize.endpoint.inputs['prompt'] === undefined,
      loginInputsAt,
      'prompt=none shows the login page (OpenID Connect Core 3.1.2.1)',
      'add prompt: {}, so that it is answered with login_required',
    ]),

  password_grant: (definition) =>
    wrong([
      isOffered(definition),
      ['grants', 'password'],
      'partners see the passwords of members, who learn to type them anywhere (RFC 9700 2.4)',
      'the directory is asked as by the login page, and passwords are never logged',
    ]),

  *password_in_query(definition) {
    for (const [name, endpoint] of endpointsOf(definition, 'password')) {
      const exposed = inQuery(grantInputs.password.needs, endpoint);
      yield* wrong([
        exposed.length > 0,
        ['token_endpoints', name, 'inputs'],
        `the credentials of members stand in the query (${exposed.join(', ')}): proxies, gateways and partners keep addresses in their logs (RFC 9700 4.2.4)`,
        'give the grant an endpoint that reads a form',
      ]);
    }
  },

  password_unlimited: (definition) =>
    wrong([
      isOffered(definition) && definition.throttle === 'off',
      ['grants', 'password'],
      'nothing limits how many passwords a partner can try (RFC 6749 4.3.2)',
      'set throttle; the address of a partner stands for all of its customers and is not counted',
    ]),
};

/** Those of the inputs that an endpoint reads from the query. */
function inQuery(roles: readonly string[], endpoint: EndpointDefinition): readonly string[] {
  return roles.filter((role) => {
    const input = endpoint.inputs[role];
    const places = input === undefined ? [] : placesOf(input, endpoint);
    return places.includes('query') || places.includes('path');
  });
}

/** Inputs of a token endpoint that an attacker could use. */
function secretInputs(definition: Definition, endpoint: string): readonly string[] {
  const served = grantsAt(definition, endpoint);
  // password_in_query warns of passwords.
  const needed = served.flatMap((type) => (type === 'password' ? [] : grantInputs[type].needs));
  const { methods } = definition.client.authentication;
  return methods.includes('parameters') ? [...needed, 'client_secret'] : needed;
}

type Terms = Definition['client']['authentication']['assertion'];

/** A departure in the terms of assertions, where a dialect takes some. */
function inAssertions(
  definition: Definition,
  name: keyof Terms,
  departs: (terms: Terms) => boolean,
  message: string,
  hint: string,
): ReturnType<typeof wrong> {
  const at: Path = ['client', 'authentication', 'assertion', name];
  const { assertion } = definition.client.authentication;
  return wrong([takesAssertions(definition) && departs(assertion), at, message, hint]);
}

function isOffered(definition: Definition): boolean {
  return endpointsOf(definition, 'password').length > 0;
}
