// Owns the checks of refresh tokens: which grants bring them, and how they change.

import { grantTypes } from '../../oauth/grant.ts';
import { type Complaint, wrong } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';

/** Times of refresh tokens; those that nothing brings, or nothing takes. */
export function* refreshComplaints({ grants, tokens }: Definition): Iterable<Complaint> {
  const { format, lifetime, longest, grace, rotation } = tokens.refresh;
  yield* wrong(
    [grace > 3_600_000, ['tokens', 'refresh', 'grace'], 'a grace window may be 1h at most'],
    [
      rotation === 'off' && format === 'jwt' && lifetime < longest,
      ['tokens', 'refresh', 'rotation'],
      'a refresh token that stays cannot tell another end after each use, as a JWT must',
      'set lifetime to longest, or format to opaque',
    ],
  );
  for (const type of grantTypes) {
    if (type === 'jwt_bearer') continue;
    const said = grants[type]?.refresh_token;
    const at = ['grants', type, 'refresh_token'];
    yield* wrong(
      [
        said !== undefined && type === 'refresh_token',
        at,
        'what a refresh answers with is said by tokens.refresh.rotation',
      ],
      [
        said === 'on' && type === 'token_exchange',
        at,
        'an exchange brings no refresh token: the login has one already',
      ],
      [
        said === 'on' && grants.refresh_token === undefined,
        at,
        'there is no grant refresh_token, which takes refresh tokens',
        'turn it on',
      ],
    );
  }
}
