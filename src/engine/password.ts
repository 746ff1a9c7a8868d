// Owns the password grant (RFC 6749 4.3, P-9): a partner hands over what its customer typed. Off
// unless a programme turns it on, and `check` warns of it: RFC 9700 2.4 has no place for it.

import { Refusal } from '../oauth/failure.ts';
import type { Member } from '../oauth/member.ts';
import type { Inputs } from '../programme/requests/input_rules.ts';
import type { Authorization, GrantRequest } from './authorization.ts';
import { authenticateMember } from './member_authentication.ts';
import { newFamily } from './new_family.ts';

/**
 * The member must be one to the directory, by the rules of the login page: whether unknown, wrong,
 * disabled or locked is not told (HOSTILE 16). A directory that cannot answer is an outage (G-22).
 */
export async function authorizeByPassword(request: GrantRequest): Promise<Authorization> {
  const { service, scope, now, era } = request;
  const { programme, store } = service;
  const member = await authenticate(request);
  const granted = programme.scope.ofLogin(scope, member.level);
  // This request is the login that the tokens descend from.
  const family = newFamily(request, member, granted, now);
  return {
    grant: 'password',
    kind: 'member',
    subject: member.subject,
    scope: programme.scope.narrow(scope, granted),
    family,
    withRefreshToken: programme.grants.has('refresh_token'),
    settle: async ({ tokens, access, refresh }) => {
      await store.startFamily({
        family,
        era,
        ...(access === undefined ? {} : { access }),
        ...(refresh === undefined ? {} : { refresh }),
      });
      return tokens;
    },
  };
}

async function authenticate({ service, client, inputs, hangUp }: GrantRequest): Promise<Member> {
  const claimedAddress = customerAddress(inputs);
  // The address of the connection is the partner's, with all its customers behind it: one of them
  // must not be able to use up the failures of all.
  const found = await authenticateMember(service, {
    username: inputs.get('username') ?? '',
    password: inputs.get('password') ?? '',
    client: client.id,
    hangUp: hangUp(),
    ...(claimedAddress === undefined ? {} : { claimedAddress }),
  });
  if (found.outcome === 'match') return found.member;
  if (found.outcome === 'no_match') throw new Refusal('invalid_member_credentials');
  throw new Refusal('throttled', { retryAfter: found.retryAfter / 1000 });
}

/** The first of a chain is who the partner says its customer is (P-6); it was checked for its form. */
function customerAddress(inputs: Inputs): string | undefined {
  return inputs.get('forwarded_for')?.split(',')[0]?.trim();
}
