// Owns revocation (RFC 7009): what is revoked, and what else ends with it.

import type { Client } from '../oauth/client.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import type { WireRequest } from '../oauth/wire_request.ts';
import type { TokenManagementEndpoint } from '../programme/requests/token_management.ts';
import { authenticateClient } from './authentication/client.ts';
import { answering, forcibleAt } from './failure.ts';
import { expectAudit } from './maintenance.ts';
import { proveAnyAge } from './presented/access_token.ts';
import { exchangesRevokedWith } from './presented/exchanged.ts';
import { findRefresh } from './presented/refresh_token.ts';
import type { Service } from './service.ts';
import { throttle } from './throttle.ts';
import { anyAge } from './token_forms.ts';
import { type Authenticating, readQuestion, type TokenQuestion } from './token_question.ts';

/** Answers a revocation request. */
export const answerRevocation = answering(serveRevocation, { forcible: forcibleAt });

async function serveRevocation(
  service: Service,
  endpoint: TokenManagementEndpoint,
  request: WireRequest,
): Promise<Reply> {
  expectAudit(service);
  const authenticate: Authenticating<Client> = async (credentials, now) =>
    (await authenticateClient(service, credentials, now, request)).client;
  await revoke(service, await readQuestion(service, endpoint, request, authenticate), request);
  return done;
}

/**
 * A refresh token takes its login along, with every access token of it (RFC 7009 2.1); an access token ends with
 * what was exchanged from it, and with the one that stands beside it. Unknown tokens and other clients' stay as
 * they are, with the same answer: it reveals nothing of them. The hint is not needed to find a token.
 */
async function revoke(
  service: Service,
  { asker: client, text, now }: TokenQuestion<Client>,
  request: Pick<WireRequest, 'record' | 'address'>,
): Promise<void> {
  const { store, programme } = service;
  const { record } = request;
  // Also one that has expired: a clock that is ahead takes live tokens for expired (FAULTS 33).
  const refresh = await findRefresh(service, text, anyAge);
  if (refresh !== undefined) {
    const { login } = refresh;
    // Of any generation: a store that was put back may know less than the client.
    if (login?.client !== client.id) return;
    await record.timed('store revoke_login', () =>
      store.revoke(programme.id, { place: login.place }, now),
    );
    record.member = login.member?.subject;
    record.login = login.place;
    record.ended = 'revoked';
    return;
  }
  const token = await proveAnyAge(service, text, now);
  if (token === undefined || token.client !== client.id) return;
  // The store keeps a row for each revoked access token until its end.
  await throttle(service, client, now, request);
  await record.timed('store revoke_token', async () => {
    const exchanged = exchangesRevokedWith(service, token, now);
    await Promise.all(
      [token.question, exchanged].map((one) => store.revoke(programme.id, one, now)),
    );
  });
  record.ended = 'access_token_revoked';
}

const done: Reply = Object.freeze({ status: 200, headers: noStore, body: '' });
