// Owns the checks of how long codes and tokens live: no token outlives its login, and refresh tokens are
// brought by grants that can bring them.

import type { Definition } from '../language/definition.ts';
import { milliseconds } from '../lib/clock.ts';
import { formatDuration } from '../lib/duration.ts';
import { grantTypes } from '../oauth/grant.ts';
import { type Complaint, wrong } from '../schema/faults.ts';

export function lifetimeComplaints({ code, tokens }: Definition): Iterable<Complaint> {
  const { lifetime, longest } = tokens.refresh;
  return wrong(
    [
      lifetime > longest,
      ['tokens', 'refresh', 'lifetime'],
      'a refresh token cannot live longer than tokens.refresh.longest',
      'set longest, too: how long a login lasts in all',
    ],
    [code.lifetime > 600_000, ['code', 'lifetime'], 'a code may live 10m at most (RFC 6749 4.1.2)'],
  );
}

/** Times of refresh tokens; those that nothing brings, or nothing takes. */
export function* refreshComplaints({ grants, tokens }: Definition): Iterable<Complaint> {
  const { format, lifetime, longest, grace, rotation } = tokens.refresh;
  yield* wrong(
    [grace > 3_600_000, ['tokens', 'refresh', 'grace'], 'a grace window may be 1h at most'],
    [
      rotation === 'off' && format === 'jwt' && lifetime < longest,
      ['tokens', 'refresh', 'rotation'],
      'with rotation: off each use moves the end of a refresh token, and a JWT cannot change its exp',
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
        'tokens.refresh.rotation says which refresh token a refresh is answered with',
      ],
      [
        said === 'on' && type === 'token_exchange',
        at,
        'an exchange brings no refresh token: the login has one already',
      ],
      [
        said === 'on' && grants.refresh_token === undefined,
        at,
        'a refresh token is of no use here: there is no grant refresh_token',
        'turn it on',
      ],
    );
  }
}

/** Access tokens that their login ends before their own lifetime does. */
export function* lifetimeWarnings({ tokens, grants }: Definition): Iterable<Complaint> {
  const { longest } = tokens.refresh;
  const isOwnRefreshed = grants.client_credentials?.refresh_token === 'on';
  const atOwn = new Set<string>();
  for (const type of grantTypes) {
    const grant = grants[type];
    if (grant === undefined || (type === 'client_credentials' && !isOwnRefreshed)) continue;
    const own = grant.access_lifetime;
    if ((own ?? tokens.access.lifetime) > longest) atOwn.add(own === undefined ? '' : type);
  }
  const end = formatDuration(milliseconds(longest));
  const message = `access tokens end with their login, ${end} after it began (tokens.refresh.longest)`;
  const own = grants.client_credentials;
  const isShared = own !== undefined && own.access_lifetime === undefined && !isOwnRefreshed;
  for (const type of atOwn) {
    const path =
      type === '' ? ['tokens', 'access', 'lifetime'] : ['grants', type, 'access_lifetime'];
    const hint = "only a client's own, which come from no login, live for so long";
    yield type === '' && isShared ? [path, message, hint] : [path, message];
  }
}
