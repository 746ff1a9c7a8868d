// Owns the family that a login begins: its tokens live and die together.

import { after, type Instant } from '../lib/clock.ts';
import type { TokenFamily } from '../oauth/grant.ts';
import type { Member } from '../oauth/member.ts';
import { newFamilyId } from '../oauth/token_key.ts';
import type { GrantRequest } from './authorization.ts';

/** A family that lives at most as long from the login as the dialect says. */
export function newFamily(
  { service, client, now }: GrantRequest,
  member: Member,
  scope: string | undefined,
  loggedInAt: Instant,
): TokenFamily {
  return {
    id: newFamilyId(now),
    programme: service.programme.id,
    client: client.id,
    member,
    ...(scope === undefined ? {} : { scope }),
    createdAt: now,
    endsAt: after(loggedInAt, service.programme.refresh.longest),
  };
}
