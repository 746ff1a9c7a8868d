// Owns the checks of members and lifetimes, and of the headers compared at verification.

import { milliseconds } from '../../lib/clock.ts';
import { formatDuration } from '../../lib/duration.ts';
import { grantTypes } from '../../oauth/grant.ts';
import { type Complaint, wrong } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import { alphabetOf } from '../language/value_shape.ts';
import { heldHeaders } from '../requests/verify_headers.ts';

/** A shape that no number matches would refuse every member. */
export function* memberNumberComplaints({ members }: Definition): Iterable<Complaint> {
  const { membership_number: shape } = members;
  if (shape === undefined) return;
  const { prefix = '', characters = 'digits', length = { min: 1 } } = shape;
  const isNumber = /^\d{1,24}$/.test(prefix + '1'.repeat(length.min));
  yield* wrong([
    !isNumber || !alphabetOf(characters).includes('1'),
    ['members', 'membership_number'],
    'no membership number has this shape: they are 1 to 24 digits',
  ]);
}

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

/** Headers that `verify` requires and token endpoints do not have. */
export function* verifyComplaints(definition: Definition): Iterable<Complaint> {
  const { headers, api_key_header: keyHeader } = definition.verify;
  const held = heldHeaders(definition);
  yield* wrong([
    headers === 'required' && held.size === 0,
    ['verify', 'headers'],
    'there is no header to require: no token endpoint compares one with programme or client',
    'give an input there in: header and must_equal',
  ]);
  for (const [role, { name = role }] of held) {
    if (name.toLowerCase() !== keyHeader.toLowerCase()) continue;
    yield [
      ['verify', 'api_key_header'],
      `the input "${role}" is read from this header`,
      'name another header in verify.api_key_header: gateways pass API keys on in it',
    ];
  }
}
