// Owns finding the client of a request that proves itself by a token of an earlier answer alone.

import type { Instant } from '../../lib/clock.ts';
import { ownCause } from '../../oauth/cause.ts';
import { Refusal } from '../../oauth/failure.ts';
import type { GrantType } from '../../oauth/grant.ts';
import type { RequestRecord } from '../../oauth/request_record.ts';
import type {
  PresentedCredentials,
  TokenCredentials,
} from '../../programme/requests/presented_credentials.ts';
import { disabledClient } from '../causes/client.ts';
import { proveToken } from '../presented/access_token.ts';
import { findRefresh } from '../presented/refresh_token.ts';
import type { Service } from '../service.ts';
import type { Authenticated } from './proof.ts';

/**
 * The client that the token was given to, with a login, and what was found of the token. Nobody guesses a
 * token, so failures are not counted; whether it still is good is for its grant to judge. A token that is
 * none is refused as its grant refuses it, without telling more.
 */
export async function findTokenHolder(
  service: Service,
  { grant, token }: TokenCredentials,
  now: Instant,
  record: RequestRecord,
): Promise<Authenticated> {
  const { programme, store } = service;
  const isRefresh = grant === 'refresh_token';
  const refresh = isRefresh ? await findRefresh(service, token, now) : undefined;
  const subject = isRefresh ? undefined : await proveToken(service, token, now);
  // A client's own subject token without a login has no end that another one keeps: whoever gets hold of it
  // could renew it for ever.
  const id = (refresh ?? subject)?.login?.client;
  const client = id && (await store.find('client', programme.id, id));
  if (client === undefined) {
    const expected = 'a token of a login of this programme';
    const cause = { rule: ['grants', grant], expected, came: 'what is none' };
    throw new Refusal(isRefresh ? 'invalid_refresh_token' : 'invalid_assertion', { cause });
  }
  record.isClaimRegistered = true;
  if (client.status !== 'active') {
    throw new Refusal('client_authentication_failed', { cause: disabledClient });
  }
  record.client = client.id;
  return { client, refresh, subject };
}

/** A token proves its client for its own grant alone: whoever holds it gets nothing else by it. */
export function expectProvenFor(credentials: PresentedCredentials, grant: GrantType): void {
  if (credentials.kind !== 'token' || credentials.grant === grant) return;
  const at = ['client', 'authentication', 'methods'];
  const cause = ownCause(at, `credentials of the client for the grant ${grant}`, 'a token alone');
  throw new Refusal('authentication_missing', { parameter: 'authorization', cause });
}
