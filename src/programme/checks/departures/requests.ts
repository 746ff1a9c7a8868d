// Owns departures in how endpoints take requests.

import { grantInputs } from '../../../oauth/grant.ts';
import { wrong } from '../../../schema/complaint.ts';
import type { Definition } from '../../language/definition.ts';
import { type EndpointDefinition, placesOf } from '../../language/input_schema.ts';
import { grantsAt } from '../../requests/grant_places.ts';
import { endpointsIn } from '../endpoints.ts';
import type { Departures } from './departure.ts';

export const requestDepartures: Departures = {
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
};

/** Those of the inputs that an endpoint reads from the query. */
export function inQuery(roles: readonly string[], endpoint: EndpointDefinition): readonly string[] {
  return roles.filter((role) => {
    const input = endpoint.inputs[role];
    const places = input === undefined ? [] : placesOf(input, endpoint);
    return places.includes('query') || places.includes('path');
  });
}

/** Inputs of a token endpoint that an attacker could use. */
function secretInputs(definition: Definition, endpoint: string): readonly string[] {
  const served = grantsAt(definition, endpoint);
  // passwordDepartures warns of passwords.
  const needed = served.flatMap((type) => (type === 'password' ? [] : grantInputs[type].needs));
  const { methods } = definition.client.authentication;
  return methods.includes('parameters') ? [...needed, 'client_secret'] : needed;
}
