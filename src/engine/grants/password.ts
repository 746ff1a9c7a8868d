// Owns the password grant (RFC 6749 4.3, P-9): a partner sends the username and password that its
// customer typed. Off unless a programme turns it on; `check` warns of it (RFC 9700 2.4).

import { Refusal } from '../../oauth/failure.ts';
import type { Member } from '../../oauth/member.ts';
import type { Authorization, GrantRequest } from '../authorization.ts';
import { authenticateMember, type MemberAttempt } from '../member_authentication.ts';

/**
 * The directory must know the member, by the rules of the login page: unknown, wrong, disabled and
 * locked get one answer (HOSTILE 16). A directory that cannot answer is an outage (G-22).
 */
export async function authorizeByPassword(request: GrantRequest): Promise<Authorization> {
  const { service, scope, inputs, now } = request;
  const member = await authenticate(request);
  const asked = service.programme.scope.ofLogin(scope, member.level);
  // This request is the login that the tokens descend from.
  const resource = inputs.get('resource');
  return { kind: 'login', member, asked, scope, resource, loggedInAt: now };
}

async function authenticate(request: GrantRequest): Promise<Member> {
  const { service, client, inputs, hangUp, record } = request;
  const found = await authenticateMember(service, {
    username: inputs.get('username') ?? '',
    password: inputs.get('password') ?? '',
    client: client.id,
    hangUp: hangUp(),
    record,
    ...addressesOf(request),
  });
  if (found.outcome === 'match') return found.member;
  const { cause } = found;
  if (found.outcome === 'no_match') throw new Refusal('invalid_member_credentials', { cause });
  throw new Refusal('throttled', { retryAfter: found.retryAfter / 1000, cause });
}

/**
 * Where the customer is. A client that has proved itself asks from its own machine for all its customers:
 * one customer's failures must not lock out all others, and its word for the customer is told (P-6; the
 * first of a chain, whose form was checked). A public client has proved nothing: the connection is the
 * customer's, or a guesser's, as at the login page (HOSTILE 80).
 */
function addressesOf({
  client,
  inputs,
  record,
}: GrantRequest): Pick<MemberAttempt, 'address' | 'claimedAddress'> {
  if (client.isPublic === true) return { address: record.address?.() };
  return { claimedAddress: inputs.get('forwarded_for')?.split(',')[0]?.trim() };
}
