// Owns revocation (RFC 7009): its ordered steps, and what else ends with a token.

import type { Instant } from '../lib/clock.ts';
import { sameDigest } from '../lib/digest.ts';
import type { Client, ProgrammeId } from '../oauth/client.ts';
import type { LoginState } from '../oauth/grant.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import type { WireRequest } from '../oauth/wire_request.ts';
import type { TokenManagementEndpoint } from '../programme/requests/token_management.ts';
import { loginDigest, type RefreshText } from '../token/sealed/refresh_text.ts';
import { authenticateClient, expectNamed } from './authentication/client.ts';
import { answering } from './failure.ts';
import { expectAudit } from './maintenance.ts';
import { readRefreshToken } from './refresh_token.ts';
import { forcingAt } from './sandbox.ts';
import type { Service } from './service.ts';
import { proveToken } from './standing_token.ts';
import { throttle } from './throttle.ts';

/** Answers a revocation request. */
export const answerRevocation = answering(forcingAt(serveRevocation));

async function serveRevocation(
  service: Service,
  endpoint: TokenManagementEndpoint,
  request: WireRequest,
): Promise<Reply> {
  expectAudit(service);
  const now = service.clock.now();
  const { record } = request;
  record.step = 'inputs';
  const inputs = endpoint.readInputs(request);
  record.step = 'credentials';
  const credentials = endpoint.readCredentials(request, inputs, service.provenHeaders);
  record.claimedClient = credentials.id;
  record.step = 'client';
  const client = await authenticateClient(service, credentials, now, request);
  record.step = 'client_values';
  expectNamed(inputs, client.id);
  record.step = 'parameters';
  const token = endpoint.readToken(inputs);
  record.step = 'token';
  await revoke(service, client, token, now, request);
  return done;
}

/**
 * A refresh token takes its login along, with every access token of it (RFC 7009 2.1); an access
 * token ends alone. Unknown tokens and other clients' stay as they are, with the same answer: it
 * reveals nothing of them. The hint is not needed to find a token.
 */
async function revoke(
  service: Service,
  client: Client,
  text: string,
  now: Instant,
  request: Pick<WireRequest, 'record' | 'address'>,
): Promise<void> {
  const { store, programme } = service;
  const { record } = request;
  const refresh = await readRefreshToken(service, text, now);
  if (refresh !== undefined) {
    const login = await store.findLogin(programme.id, refresh.place);
    // Of any generation: a store that was put back may know less than the client.
    const isItsOwn = login?.client === client.id && holdsLoginSecret(programme.id, login, refresh);
    if (!isItsOwn) return;
    await record.timed('store revoke_login', () =>
      store.revokeLogin(programme.id, refresh.place, now),
    );
    record.member = login.member?.subject;
    record.login = refresh.place;
    record.ended = 'revoked';
    return;
  }
  const token = await proveToken(service, text, now);
  if (token === undefined || token.client !== client.id) return;
  // The store keeps a row for each revoked access token until its end.
  await throttle(service, client, now, request);
  await record.timed('store revoke_token', () =>
    store.revokeToken(programme.id, token.question, now),
  );
  record.ended = 'access_token_revoked';
}

function holdsLoginSecret(id: ProgrammeId, login: LoginState, token: RefreshText): boolean {
  return sameDigest(loginDigest(id, token), login.loginDigest);
}

const done: Reply = Object.freeze({ status: 200, headers: noStore, body: '' });
