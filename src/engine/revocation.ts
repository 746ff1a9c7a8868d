// Owns revocation (RFC 7009): its ordered steps, and what else ends with a token.

import type { Instant } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import { tokenKey } from '../oauth/token_key.ts';
import type { WireRequest } from '../oauth/wire_request.ts';
import type { TokenManagementEndpoint } from '../programme/requests/token_management.ts';
import { authenticateClient, expectNamed } from './client_authentication.ts';
import { answering } from './failure.ts';
import type { Service } from './service.ts';
import { findIssuedToken } from './standing_token.ts';

/** Answers a revocation request. */
export const answerRevocation = answering(serveRevocation);

async function serveRevocation(
  service: Service,
  endpoint: TokenManagementEndpoint,
  request: WireRequest,
): Promise<Reply> {
  const now = service.clock.now();
  const inputs = endpoint.readInputs(request);
  const credentials = endpoint.readCredentials(request, inputs, service.provenHeaders);
  const client = await authenticateClient(service, credentials, now, request.address);
  expectNamed(inputs, client.id);
  await revoke(service, client, endpoint.readToken(inputs), now);
  return done;
}

/**
 * A refresh token takes its login along, with every access token of it (RFC 7009 2.1); an access
 * token ends alone. Unknown tokens and other clients' stay as they are, with the same answer: it
 * reveals nothing of them. The hint is not needed to find a token.
 */
async function revoke(service: Service, client: Client, text: string, now: Instant): Promise<void> {
  const { store, programme } = service;
  const refresh = await store.findRefreshToken(programme.id, tokenKey(text), now);
  if (refresh !== undefined) {
    if (refresh.family.client !== client.id) return;
    await store.revokeFamily(programme.id, refresh.family.id, now);
    return;
  }
  const token = await findIssuedToken(service, text, now);
  if (token === undefined || token.client !== client.id) return;
  const { tokenId, expiresAt } = token;
  const which = tokenId === undefined ? { key: tokenKey(text) } : { tokenId, expiresAt };
  await store.revokeToken(programme.id, which, now);
}

const done: Reply = Object.freeze({ status: 200, headers: noStore, body: '' });
