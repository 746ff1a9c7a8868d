// Owns introspection (RFC 7662): its ordered steps, and what is told of a live token.

import { epochSeconds, type Instant } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import type { GatewayId } from '../oauth/gateway.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import type { WireRequest } from '../oauth/wire_request.ts';
import type { PresentedCredentials } from '../programme/requests/presented_credentials.ts';
import type { TokenManagementEndpoint } from '../programme/requests/token_management.ts';
import { judgeRefresh, refreshEnd } from '../store/judgement.ts';
import { authenticateClient, expectNamed } from './authentication/client.ts';
import { holdsSecret } from './authentication/secret.ts';
import { answering } from './failure.ts';
import { presentedBy, readRefreshToken } from './refresh_token.ts';
import { forcingAt } from './sandbox.ts';
import type { Service } from './service.ts';
import { findStandingToken, type StandingToken, subjectOf } from './standing_token.ts';

/** Answers an introspection request. */
export const answerIntrospection = answering(forcingAt(introspect));

/**
 * The steps. A gateway may ask about every access token of its programme, a client about its own
 * tokens. Any other token gets the answer of a dead one (RFC 7662 2.2 and 4).
 */
async function introspect(
  service: Service,
  endpoint: TokenManagementEndpoint,
  request: WireRequest,
): Promise<Reply> {
  const now = service.clock.now();
  const { record } = request;
  record.step = 'inputs';
  const inputs = endpoint.readInputs(request);
  record.step = 'credentials';
  const credentials = endpoint.readCredentials(request, inputs, service.provenHeaders);
  record.claimedClient = credentials.id;
  record.step = 'client';
  const asker = await authenticateAsker(service, credentials, now, request);
  record.step = 'client_values';
  expectNamed(inputs, asker === 'gateway' ? (credentials.id ?? '') : asker.id);
  record.step = 'parameters';
  const text = endpoint.readToken(inputs);

  record.step = 'token';
  const token = await findStandingToken(service, text, now);
  if (token !== undefined && (asker === 'gateway' || asker.id === token.client.id)) {
    return active(accessFacts(service, token));
  }
  // An API must not take a refresh token for a good one: a gateway is never told of any (HOSTILE 35).
  if (token !== undefined || asker === 'gateway') return inactive;
  const facts = await refreshFacts(service, asker, text, now);
  return facts === undefined ? inactive : active(facts);
}

async function authenticateAsker(
  service: Service,
  credentials: PresentedCredentials,
  now: Instant,
  request: WireRequest,
): Promise<Client | 'gateway'> {
  const { store, programme } = service;
  if (credentials.kind === 'secret') {
    const gateway = await store.find('gateway', programme.id, credentials.id as GatewayId);
    if (gateway?.status === 'active' && holdsSecret(service, credentials, gateway, now)) {
      return 'gateway';
    }
  }
  return authenticateClient(service, credentials, now, request);
}

/** Undefined members are left out of the JSON. */
function accessFacts({ programme }: Service, token: StandingToken): object {
  return {
    token_type: 'bearer',
    client_id: token.client.id,
    sub: token.subject,
    scope: token.scope,
    iss: programme.issuer,
    aud: programme.audience,
    iat: epochSeconds(token.issuedAt),
    exp: epochSeconds(token.expiresAt),
    jti: token.jti,
  };
}

/** Without a token_type, which only access tokens have. Reads alone: nothing is spent or revoked. */
async function refreshFacts(
  service: Service,
  client: Client,
  text: string,
  now: Instant,
): Promise<object | undefined> {
  const { store, programme, directory } = service;
  if (!programme.grants.has('refresh_token')) return undefined;
  const token = await readRefreshToken(service, text, now);
  const login = token && (await store.findLogin(programme.id, token.place));
  if (token === undefined || login === undefined) return undefined;
  if (judgeRefresh(login, presentedBy(service, client, token), now) !== 'rotate') return undefined;
  const subject = login.member?.subject;
  if (subject !== undefined && directory.isOwn && !(await directory.isActive(subject))) {
    return undefined;
  }
  return {
    token_use: 'refresh_token',
    client_id: client.id,
    sub: subjectOf(programme, login),
    scope: login.scope,
    iss: programme.issuer,
    exp: epochSeconds(refreshEnd(login)),
  };
}

function active(facts: object): Reply {
  return { ...inactive, body: JSON.stringify({ active: true, ...facts }) };
}

const inactive: Reply = Object.freeze({
  status: 200,
  headers: Object.freeze({ 'Content-Type': 'application/json', ...noStore }),
  body: '{"active":false}',
});
