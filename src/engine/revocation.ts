// Owns revocation (RFC 7009): its ordered steps, and what goes with a token.

import type { Instant } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import { Refusal } from '../oauth/failure.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import { tokenKey } from '../oauth/token_key.ts';
import type { WireRequest } from '../oauth/wire_request.ts';
import type { TokenManagementEndpoint } from '../programme/requests/token_management.ts';
import { authenticateClient } from './client_authentication.ts';
import type { Service } from './service.ts';
import { findIssuedToken } from './standing_token.ts';
import { explain } from './token_request.ts';

/** Answers a revocation request; never rejects. */
export async function answerRevocation(
  service: Service,
  endpoint: TokenManagementEndpoint,
  request: WireRequest,
): Promise<Reply> {
  try {
    const now = service.clock.now();
    const inputs = endpoint.readInputs(request);
    const credentials = endpoint.readCredentials(request, inputs, service.provenHeaders);
    const client = await authenticateClient(service, credentials, now, request.address);
    const named = inputs.get('client_id');
    if (named !== undefined && named !== client.id) {
      throw new Refusal('client_mismatch', { parameter: 'client_id' });
    }
    await revoke(service, client, endpoint.readToken(inputs), now);
    return done;
  } catch (error) {
    const { reason, facts } = explain(service, error);
    return service.programme.renderFailure(reason, facts);
  }
}

/**
 * A refresh token takes its login with it, and so every access token of it (RFC 7009 2.1); an
 * access token goes alone. Unknown tokens and other clients' are left as they are, with one answer:
 * who asks learns nothing of tokens that are not theirs. The hint is not needed to find either.
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
