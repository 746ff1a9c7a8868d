// Owns departures in limits: on guesses (HOSTILE 65), and on how long access tokens live.

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
};

function unlimited(path: string, limit: unknown, what: string): Iterable<Complaint> {
  return wrong([
    limit === 'off',
    path.split('.'),
    `nothing limits ${what} (RFC 6749 10.10)`,
    'leave it out for the usual limit, unless something in front of Jetway has one',
  ]);
}
