// Owns the warnings of `check` about limits on guesses that a programme does without.

import type { Path } from '../../lib/fault.ts';
import type { Departure } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';

/** HOSTILE 65: one for each that is off. */
export function* guessingDepartures({ login, client }: Definition): Iterable<Departure> {
  const limits: readonly (readonly [Path, unknown, string])[] = [
    [['login', 'lockout'], login.lockout, 'wrong passwords for one username'],
    [['login', 'address_limit'], login.address_limit, 'failed logins from one address'],
    [
      ['client', 'authentication', 'failure_limit'],
      client.authentication.failure_limit,
      'wrong secrets for one client',
    ],
  ];
  for (const [at, limit, what] of limits) {
    if (limit !== 'off') continue;
    yield [
      at,
      `nothing limits ${what}`,
      'RFC 6749 10.10',
      'leave it out for the usual limit, unless something in front of Jetway has one',
    ];
  }
}
