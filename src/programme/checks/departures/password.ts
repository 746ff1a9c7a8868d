// Owns departures of the password grant, which the shipped programmes do not offer (P-9).

import { grantInputs } from '../../../oauth/grant.ts';
import { wrong } from '../../../schema/complaint.ts';
import type { Definition } from '../../language/definition.ts';
import { endpointsOf } from '../../requests/grant_places.ts';
import type { Departures } from './departure.ts';
import { inQuery } from './requests.ts';

export const passwordDepartures: Departures = {
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

function isOffered(definition: Definition): boolean {
  return endpointsOf(definition, 'password').length > 0;
}
