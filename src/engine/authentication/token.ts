// Owns finding the client of a request that proves itself by a token of an earlier answer alone.

import type { Instant } from '../../lib/clock.ts';
import { ownCause } from '../../oauth/cause.ts';
import { Refusal } from '../../oauth/failure.ts';
import { type GrantType, isByOwnToken } from '../../oauth/grant.ts';
import type { RequestRecord } from '../../oauth/request_record.ts';
import type {
  OwnTokenCredentials,
  PresentedCredentials,
  TokenCredentials,
} from '../../programme/requests/presented_credentials.ts';
import { disabledClient } from '../causes/client.ts';
import { findStandingToken, type ProvenToken, proveToken } from '../presented/access_token.ts';
import { findRefresh } from '../presented/refresh_token.ts';
import { isForProgramme } from '../resource.ts';
import type { Service } from '../service.ts';
import type { Authenticated } from './proof.ts';

/**
 * The client that the token was given to, with a login, and what was found of the token. Nobody guesses a
 * token, so failures are not counted; whether it still is good is for its grant to judge. A token that is
 * none is refused as its grant refuses it, without telling more.
 */
export async function findTokenHolder(
  service: Service,
  { grant, token, takesLogin, takesOwn }: TokenCredentials,
  now: Instant,
  record: RequestRecord,
): Promise<Authenticated> {
  const { programme, store } = service;
  const isRefresh = grant === 'refresh_token';
  const refresh = isRefresh ? await findRefresh(service, token, now) : undefined;
  const subject = isRefresh ? undefined : await proveToken(service, token, now);
  // Another API could exchange a token that is for it alone, for a longer one.
  const ours = subject !== undefined && isForProgramme(service, subject) ? subject : undefined;
  const ofLogin = takesLogin ? (refresh ?? ours)?.login?.client : undefined;
  const isOwn = takesOwn && subject !== undefined && isOwnProof(service, subject);
  const id = ofLogin ?? (isOwn ? subject.client : undefined);
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
  return { client, refresh, subject, isByToken: true };
}

/**
 * Whether the client got the token for itself, by other credentials, for every purpose and for no other API.
 * What was exchanged from such a token is no proof: whoever gets hold of it could renew it for ever.
 */
function isOwnProof(
  service: Service,
  token: Pick<ProvenToken, 'kind' | 'scope' | 'resource' | 'exchangedFrom'>,
): boolean {
  const { scope: rules } = service.programme;
  const { kind, scope, exchangedFrom } = token;
  const isNarrow = rules.split(scope ?? '').some((one) => rules.restricted.has(one));
  const isOwn = kind === 'client' && exchangedFrom === undefined;
  return isOwn && !isNarrow && isForProgramme(service, token);
}

/** The client whose own token came beside what a grant needs; it must be live now, as for a gateway. */
export async function findTokenOwner(
  service: Service,
  { id, token }: OwnTokenCredentials,
  now: Instant,
  record: RequestRecord,
): Promise<Authenticated> {
  const found = await findStandingToken(service, token, now);
  const isRight =
    typeof found !== 'string' &&
    isOwnProof(service, found) &&
    (id === undefined || id === found.client.id);
  record.isClaimRegistered = isRight;
  if (!isRight) {
    const expected = "a live access token of the client's own";
    const cause = ownCause(methodsRule, expected, 'what is none', 'client_token');
    throw new Refusal('client_authentication_failed', { cause });
  }
  record.client = found.client.id;
  return { client: found.client, isByToken: true };
}

/**
 * A token proves its client for its own grant alone, and one of the client's own for no other of its own:
 * whoever holds it gets nothing else by it.
 */
export function expectProvenFor(credentials: PresentedCredentials, grant: GrantType): void {
  const { kind } = credentials;
  if (kind !== 'token' && kind !== 'own_token') return;
  if (kind === 'token' ? credentials.grant === grant : isByOwnToken(grant)) return;
  const cause = ownCause(
    methodsRule,
    `credentials of the client for the grant ${grant}`,
    'a token alone',
  );
  throw new Refusal('authentication_missing', { parameter: 'authorization', cause });
}

const methodsRule = ['client', 'authentication', 'methods'];
