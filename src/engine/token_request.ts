// Owns the token request: its ordered steps (C-8), top to bottom, for every grant and dialect.

import type { Instant } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import {
  type FailureFacts,
  type FailureReason,
  HungUp,
  Overloaded,
  Refusal,
  Unavailable,
} from '../oauth/failure.ts';
import type { Reply } from '../oauth/reply.ts';
import type { WireRequest } from '../oauth/wire_request.ts';
import type { TokenEndpoint } from '../programme/requests/token_endpoint.ts';
import { authenticateClient, isLiveKey } from './client_authentication.ts';
import { grants } from './grants.ts';
import { issueTokens } from './issue.ts';
import type { Service } from './service.ts';

/** Answers a token request; rejects with `HungUp` alone, where nobody waits for the answer any more. */
export async function answerTokenRequest(
  service: Service,
  endpoint: TokenEndpoint,
  request: WireRequest,
): Promise<Reply> {
  try {
    return await serveTokens(service, endpoint, request);
  } catch (error) {
    const { reason, facts } = explain(service, error);
    return service.programme.renderFailure(reason, facts);
  }
}

/**
 * The steps. What comes first answers first (C-8); nothing is spent before `settle`, so that a
 * refused request leaves code and refresh token good.
 */
async function serveTokens(
  service: Service,
  endpoint: TokenEndpoint,
  request: WireRequest,
): Promise<Reply> {
  const { programme } = service;
  const now = service.clock.now();

  const inputs = endpoint.readInputs(request);
  const credentials = endpoint.readCredentials(request, inputs, service.provenHeaders);
  endpoint.checkHeaders(inputs);
  // Before anybody is known: who is revoked from here on is not to have tokens that stand (FAULTS 28).
  const era = await service.store.era();
  const client = await authenticateClient(service, credentials, now, request.address);
  endpoint.checkClient(inputs, client, (text, keys) => isLiveKey(service, client, text, keys, now));
  const grant = endpoint.selectGrant(inputs, client);
  endpoint.checkParameters(inputs, grant);
  const scope = inputs.get('scope');
  programme.scope.check(scope);
  await throttle(service, client, now);

  const authorization = await grants[grant]({
    service,
    client,
    inputs,
    scope,
    now,
    era,
    hangUp: request.hangUp,
  });
  const tokens = await issueTokens(service, client, authorization, { now, era });
  return programme.renderTokens(tokens, client);
}

/** G-18: one counter per client over all grants. */
async function throttle(service: Service, client: Client, now: Instant): Promise<void> {
  const limit = client.throttle ?? service.programme.throttle;
  if (limit === undefined) return;
  const { id: programme } = service.programme;
  const outcome = service.store.count('token_request', programme, client.id, limit, now);
  const { allowed, retryAfter } = await outcome;
  if (!allowed) throw new Refusal('throttled', { retryAfter: retryAfter / 1000 });
}

/** Seconds a partner is asked to wait when something the service rests on is away. */
const outageRetryAfter = 5;

/**
 * The reason to tell; anything that is not a known failure is a server_error and logged. Throws
 * `HungUp` on: there is nobody to tell.
 */
export function explain(
  service: Service,
  error: unknown,
): { readonly reason: FailureReason; readonly facts: FailureFacts } {
  if (error instanceof HungUp) throw error;
  const at = service.clock.now();
  if (error instanceof Refusal) return { reason: error.reason, facts: { ...error.facts, at } };
  const programme = service.programme.id;
  if (error instanceof Unavailable) {
    // A known failure needs no stack. Strangers can cause many of one kind, which must not take the
    // lines of the log that are for the other (HOSTILE 59).
    const event = error instanceof Overloaded ? 'overloaded' : 'unavailable';
    service.log.error(event, { programme, detail: error.message });
    return { reason: 'temporarily_unavailable', facts: { retryAfter: outageRetryAfter, at } };
  }
  service.log.error('server_error', { programme, detail: describe(error) });
  return { reason: 'server_error', facts: { at } };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
