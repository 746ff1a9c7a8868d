// Owns departures in how clients prove themselves, and in the assertions and tokens that they bring.

import { readsHeader } from '../../language/client_schema.ts';
import type { Definition } from '../../language/definition.ts';
import { privateKeyJwt } from '../../oauth/methods.ts';
import { takesAssertions } from '../../programme/requests/assertion_terms.ts';
import { endpointsOf } from '../../programme/requests/grant_places.ts';
import { wrong } from '../../schema/faults.ts';
import { endpointsIn } from '../endpoints.ts';
import type { JoinedDeparture } from './departure.ts';

/** By the stable name of the warning. */
export const clientDepartures: Readonly<Record<string, JoinedDeparture>> = {
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

  assertion_replay: {
    keys: ['client.authentication.assertion.jti', 'client.authentication.methods'],
    find: (definition) => {
      const { jti } = definition.client.authentication.assertion;
      // Left out, it is required of a client_assertion alone.
      const isOptional =
        jti === 'optional' || (jti === undefined && definition.grants.jwt_bearer !== undefined);
      const at = ['client', 'authentication', 'assertion', 'jti'];
      return wrong(
        [
          takesAssertions(definition) && isOptional,
          at,
          'an assertion without jti is good again until it ends (RFC 7523 3, OpenID Connect Core 9)',
          'write jti: required, or keep longest short; an assertion with jti is good once in any case',
        ],
        [
          takesAssertions(definition) && jti === 'repeatable',
          at,
          'an assertion is good again until it ends, for whoever has it (RFC 7523 3, OpenID Connect Core 9)',
          'write jti: required, or keep longest short; one that was used under another jti stays used',
        ],
      );
    },
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

/** Whether clients authenticate by assertions. */
function signs({ client }: Definition): boolean {
  return client.authentication.methods.includes(privateKeyJwt);
}
