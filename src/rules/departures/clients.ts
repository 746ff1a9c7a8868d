// Owns departures in how clients prove themselves, and in the assertions and tokens that they bring.

import { readsHeader } from '../../language/client_schema.ts';
import type { Definition } from '../../language/definition.ts';
import type { Path } from '../../lib/fault.ts';
import { isHeaderMethod, privateKeyJwt } from '../../oauth/methods.ts';
import { takesAssertions } from '../../programme/requests/assertion_terms.ts';
import { endpointsOf } from '../../programme/requests/grant_places.ts';
import { wrong } from '../../schema/complaint.ts';
import { endpointsIn } from '../endpoints.ts';
import type { JoinedDeparture } from './departure.ts';

const methodsAt: Path = ['client', 'authentication', 'methods'];

const hour = 3_600_000;

/** By the stable name of the warning. */
export const clientDepartures: Readonly<Record<string, JoinedDeparture>> = {
  parameters_secret: {
    keys: ['client.authentication.methods', 'client.authentication.when_both'],
    find: ({ client }) =>
      wrong([
        client.authentication.methods.includes('parameters'),
        methodsAt,
        'client secrets are taken as parameters (RFC 6749 2.3.1)',
        `bodies are never logged${client.authentication.when_both === 'refuse' ? ', and header and parameter together are refused' : ''}`,
      ]),
  },

  refresh_token_alone: {
    keys: ['client.authentication.methods', 'tokens.refresh.rotation'],
    find: ({ client, grants, tokens: { refresh } }) =>
      wrong([
        client.authentication.methods.includes('token') && grants.refresh_token !== undefined,
        methodsAt,
        'a thief of a refresh token needs no credentials to get access tokens with it, until its login ends (RFC 6749 6)',
        refresh.rotation === 'off'
          ? 'nothing shows the theft while tokens.refresh.rotation is off: turn it on, so that the second use of a token ends its login'
          : 'as soon as thief and client have both used one token, the login ends with all of its tokens; before that, revoke the refresh token',
      ]),
  },

  subject_token_alone: {
    keys: ['client.authentication.methods', 'grants.token_exchange'],
    find: ({ client, grants }) =>
      wrong([
        client.authentication.methods.includes('token') && grants.token_exchange !== undefined,
        methodsAt,
        'a thief of an access token needs no credentials to exchange it for a new one, again and again, until its login ends (RFC 8693 2.1)',
        'to revoke the stolen token ends all that was exchanged from it; a short tokens.refresh.longest and a narrow scope limit the rest',
      ]),
  },

  other_scheme: {
    keys: ['client.authentication.scheme', 'client.authentication.methods'],
    find: ({ client: { authentication } }) =>
      wrong([
        authentication.scheme !== 'Basic' && readsHeader(authentication),
        ['client', 'authentication', 'scheme'],
        `credentials come after the word ${authentication.scheme} in place of Basic (RFC 7617 2)`,
        'they are decoded as strictly as with it',
      ]),
  },

  both_methods: {
    keys: ['client.authentication.when_both', 'client.authentication.methods'],
    find: ({ client: { authentication } }) =>
      wrong([
        authentication.when_both === 'header' && readsHeader(authentication),
        ['client', 'authentication', 'when_both'],
        'a request may hold credentials in the header and as parameters (RFC 6749 2.3)',
        'the header alone counts',
      ]),
  },

  raw_credentials: {
    keys: ['client.authentication.credentials', 'client.authentication.methods'],
    find: ({ client: { authentication } }) =>
      wrong([
        authentication.credentials === 'raw' && authentication.methods.some(isHeaderMethod),
        ['client', 'authentication', 'credentials'],
        'identifier and secret are taken as they are, not form-encoded (RFC 6749 2.3.1)',
        'identifiers and secrets that Jetway makes are the same in both',
      ]),
  },

  assertion_audience: {
    keys: ['client.authentication.assertion.audience', 'client.authentication.methods'],
    find: (definition) =>
      inAssertions(
        definition,
        'audience',
        ({ audience }) => audience.some((one) => one !== 'issuer' && one !== 'absent'),
        'assertions are taken whose audience is not the issuer (RFC 7523bis 4)',
        'a client that can be led to the endpoint of a stranger signs for whom that stranger names',
      ),
  },

  assertion_without_audience: {
    keys: ['client.authentication.assertion.audience', 'client.authentication.methods'],
    find: (definition) =>
      inAssertions(
        definition,
        'audience',
        ({ audience }) => audience.includes('absent'),
        'assertions are taken that are meant for nobody in particular (RFC 7523 3)',
        'whoever else gets one of the same keys can send it here',
      ),
  },

  assertion_replay: {
    keys: ['client.authentication.assertion.jti', 'client.authentication.methods'],
    find: (definition) =>
      inAssertions(
        definition,
        'jti',
        // Left out, it is required of a client_assertion alone.
        ({ jti }) =>
          jti === 'optional' || (jti === undefined && definition.grants.jwt_bearer !== undefined),
        'an assertion without jti is good again until it ends (RFC 7523 3, OpenID Connect Core 9)',
        'write required, or keep longest short; an assertion with jti is good once in any case',
      ),
  },

  long_assertions: {
    keys: ['client.authentication.assertion.longest', 'client.authentication.methods'],
    find: (definition) =>
      inAssertions(
        definition,
        'longest',
        ({ longest }) => longest > hour,
        'assertions may live for more than an hour (RFC 7523 3)',
        'one with jti is good once, unless the store was put back since; a key that is taken away ends them all',
      ),
  },

  assertion_algorithms: {
    isQuiet: true,
    keys: ['client.authentication.assertion.algorithms', 'client.authentication.methods'],
    find: (definition) =>
      inAssertions(
        definition,
        'algorithms',
        ({ algorithms }) => !algorithms.includes('RS256'),
        'assertions that are signed with RS256 are refused (RFC 7523 5)',
        'every client of assertions has it; add RS256',
      ),
  },

  assertion_issuer: {
    isQuiet: true,
    keys: ['client.authentication.assertion.issuer', 'client.authentication.methods'],
    find: (definition) =>
      inAssertions(
        definition,
        'issuer',
        ({ issuer }) => issuer !== 'client.id' && signs(definition),
        'the iss of an assertion is not the client identifier (OpenID Connect Core 9)',
        'sub names the client then',
      ),
  },

  assertion_type_unread: {
    isQuiet: true,
    keys: ['endpoint.inputs', 'client.authentication.methods'],
    *find(definition) {
      for (const [at, { inputs }] of signs(definition) ? endpointsIn(definition) : []) {
        yield* wrong([
          inputs['client_assertion'] !== undefined && inputs['client_assertion_type'] === undefined,
          [...at, 'inputs'],
          'a client_assertion is taken whatever its client_assertion_type says (RFC 7523 2.2)',
          'add client_assertion_type: {}',
        ]);
      }
    },
  },

  subject_token_type_unread: {
    isQuiet: true,
    keys: ['endpoint.inputs', 'grants.token_exchange'],
    *find(definition) {
      for (const [name, { inputs }] of endpointsOf(definition, 'token_exchange')) {
        yield* wrong([
          inputs['subject_token_type']?.required !== true,
          ['token_endpoints', name, 'inputs'],
          'a subject_token is taken without its subject_token_type (RFC 8693 2.1)',
          'add subject_token_type with required: true and the allowed types',
        ]);
      }
    },
  },
};

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

/** Whether clients authenticate by assertions. */
function signs({ client }: Definition): boolean {
  return client.authentication.methods.includes(privateKeyJwt);
}
