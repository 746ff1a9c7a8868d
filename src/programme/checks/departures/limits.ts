// Owns departures in limits: on guesses (HOSTILE 65), and on how long tokens live.

import type { Path } from '../../../lib/fault.ts';
import { grantTypes } from '../../../oauth/grant.ts';
import { type Complaint, wrong } from '../../../schema/complaint.ts';
import type { Departures } from './departure.ts';

const day = 86_400_000;

export const limitDepartures: Departures = {
  no_lockout: ({ login }) =>
    unlimited('login.lockout', login.lockout, 'wrong passwords for one username'),

  no_address_limit: ({ login }) =>
    unlimited('login.address_limit', login.address_limit, 'failed logins from one address'),

  no_failure_limit: ({ client: { authentication } }) =>
    unlimited(
      'client.authentication.failure_limit',
      authentication.failure_limit,
      'wrong secrets for one client',
    ),

  *long_access_tokens({ tokens, grants }) {
    const lifetimes: (readonly [Path, number | undefined])[] = [
      [['tokens', 'access', 'lifetime'], tokens.access.lifetime],
      ...grantTypes.map(
        (type) => [['grants', type, 'access_lifetime'], grants[type]?.access_lifetime] as const,
      ),
    ];
    for (const [at, lifetime = 0] of lifetimes) {
      yield* wrong([
        lifetime > day,
        at,
        'access tokens live for more than a day (RFC 9700 2.2.1)',
        'revocation and disabled clients count at every verification',
      ]);
    }
  },

  lasting_refresh_tokens: ({ tokens: { refresh }, grants }) =>
    wrong([
      refresh.rotation === 'off' && grants.refresh_token !== undefined,
      ['tokens', 'refresh', 'rotation'],
      'refresh tokens stay, so that the use of a stolen one is not noticed (RFC 9700 4.14.2)',
      'clients must prove themselves with each, and revoking it ends all tokens of its login',
    ]),

  own_refresh_token: ({ grants }) =>
    wrong([
      grants.client_credentials?.refresh_token === 'on',
      ['grants', 'client_credentials', 'refresh_token'],
      "a refresh token comes with a client's own token (RFC 6749 4.4.3)",
      'the client must prove itself with it, as for a new one',
    ]),

  long_grace: ({ tokens: { refresh }, grants }) =>
    wrong([
      refresh.grace > usualGrace && refresh.rotation === 'on' && grants.refresh_token !== undefined,
      ['tokens', 'refresh', 'grace'],
      'a refresh token that was used stays good for more than 5 minutes (RFC 9700 4.14.2)',
      'it is good no more once its successor was used',
    ]),
};

/** Time enough for any client to try again. */
const usualGrace = 300_000;

function unlimited(path: string, limit: unknown, what: string): Iterable<Complaint> {
  return wrong([
    limit === 'off',
    path.split('.'),
    `nothing limits ${what} (RFC 6749 10.10)`,
    'leave it out for the usual limit, unless something in front of Jetway has one',
  ]);
}
