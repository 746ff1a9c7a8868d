// Owns finding the client of a request that proves itself by a token of an earlier answer alone.

import type { Instant } from '../../lib/clock.ts';
import { sameDigest } from '../../lib/digest.ts';
import { ownCause } from '../../oauth/cause.ts';
import type { Client } from '../../oauth/client.ts';
import { Refusal } from '../../oauth/failure.ts';
import type { GrantType } from '../../oauth/grant.ts';
import type { RequestRecord } from '../../oauth/request_record.ts';
import type {
  PresentedCredentials,
  TokenCredentials,
} from '../../programme/requests/presented_credentials.ts';
import { loginDigest } from '../../token/sealed/refresh_text.ts';
import { disabledClient } from '../causes/client.ts';
import { readRefreshToken } from '../refresh_token.ts';
import type { Service } from '../service.ts';
import { proveToken } from '../standing_token.ts';

/**
 * The client that the token was given to, with a login. Nobody guesses a token, so failures are not
 * counted; whether it still is good is for its grant to judge. A token that is none is refused as its
 * grant refuses it, without telling more.
 */
export async function findTokenHolder(
  service: Service,
  credentials: TokenCredentials,
  now: Instant,
  record: RequestRecord,
): Promise<Client> {
  const { programme, store } = service;
  const id = await holderOf(service, credentials, now);
  const client = id && (await store.find('client', programme.id, id));
  if (client === undefined) {
    const rule = ['grants', credentials.grant];
    const expected = 'a token of a login of this programme';
    const cause = { rule, expected, came: 'what is none' };
    const isRefresh = credentials.grant === 'refresh_token';
    throw new Refusal(isRefresh ? 'invalid_refresh_token' : 'invalid_assertion', { cause });
  }
  record.isClaimRegistered = true;
  if (client.status !== 'active') {
    service.uses.fail(client.id, now);
    throw new Refusal('client_authentication_failed', { cause: disabledClient });
  }
  record.client = client.id;
  return client;
}

async function holderOf(
  service: Service,
  { grant, token: text }: TokenCredentials,
  now: Instant,
): Promise<Client['id'] | undefined> {
  const { programme, store } = service;
  if (grant === 'token_exchange') {
    const proven = await proveToken(service, text, now);
    // A client's own token without a login has no end that another one keeps: whoever gets hold of it
    // could renew it for ever.
    return proven?.login?.client;
  }
  const token = await readRefreshToken(service, text, now);
  const login = token && (await store.findLogin(programme.id, token.place));
  const isIts = login && sameDigest(loginDigest(programme.id, token), login.loginDigest);
  return isIts === true ? login.client : undefined;
}

/** A token proves its client for its own grant alone: whoever holds it gets nothing else by it. */
export function expectProvenFor(credentials: PresentedCredentials, grant: GrantType): void {
  if (credentials.kind !== 'token' || credentials.grant === grant) return;
  const at = ['client', 'authentication', 'methods'];
  const cause = ownCause(at, `credentials of the client for the grant ${grant}`, 'a token alone');
  throw new Refusal('authentication_missing', { parameter: 'authorization', cause });
}
