// Owns departures in which assertions are good.

import type { Path } from '../../../lib/fault.ts';
import { wrong } from '../../../schema/complaint.ts';
import type { Definition } from '../../language/definition.ts';
import { takesAssertions } from '../../requests/assertion_terms.ts';
import type { Departures } from './departure.ts';

const hour = 3_600_000;

type Terms = Definition['client']['authentication']['assertion'];

export const assertionDepartures: Departures = {
  assertion_audience: (definition) =>
    departure(
      definition,
      'audience',
      ({ audience }) => audience.some((one) => one !== 'issuer' && one !== 'absent'),
      'assertions are taken whose audience is not the issuer (RFC 7523bis 4)',
      'a client that can be led to the endpoint of a stranger signs for whom that stranger names',
    ),

  assertion_without_audience: (definition) =>
    departure(
      definition,
      'audience',
      ({ audience }) => audience.includes('absent'),
      'assertions are taken that are meant for nobody in particular (RFC 7523 3)',
      'whoever else gets one of the same keys can send it here',
    ),

  assertion_replay: (definition) =>
    departure(
      definition,
      'jti',
      // Left out, it is required of a client_assertion alone.
      ({ jti }) =>
        jti === 'optional' || (jti === undefined && definition.grants.jwt_bearer !== undefined),
      'an assertion without jti is good again until it ends (RFC 7523 3, OpenID Connect Core 9)',
      'write required, or keep longest short; an assertion with jti is good once in any case',
    ),

  long_assertions: (definition) =>
    departure(
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
};

function departure(
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
