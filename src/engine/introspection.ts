// Owns introspection (RFC 7662): its ordered steps, and what is told of a token that is good.

import { epochSeconds, type Instant } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import { Refusal } from '../oauth/failure.ts';
import type { GatewayId } from '../oauth/gateway.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import { tokenKey } from '../oauth/token_key.ts';
import type { WireRequest } from '../oauth/wire_request.ts';
import type { TokenManagementEndpoint } from '../programme/requests/token_management.ts';
import type { PresentedCredentials } from '../token/proven_headers.ts';
import { authenticateClient, holdsSecret } from './client_authentication.ts';
import type { Service } from './service.ts';
import { findStandingToken, type StandingToken } from './standing_token.ts';
import { explain } from './token_request.ts';

/** Answers an introspection request; never rejects. */
export async function answerIntrospection(
  service: Service,
  endpoint: TokenManagementEndpoint,
  request: WireRequest,
): Promise<Reply> {
  try {
    return await introspect(service, endpoint, request);
  } catch (error) {
    const { reason, facts } = explain(service, error);
    return service.programme.renderFailure(reason, facts);
  }
}

/**
 * The steps. A gateway may ask of every access token of its programme, a client of its own tokens;
 * of any other, as of one that is no good, there is nothing to tell (RFC 7662 2.2 and 4).
 */
async function introspect(
  service: Service,
  endpoint: TokenManagementEndpoint,
  request: WireRequest,
): Promise<Reply> {
  const now = service.clock.now();
  const inputs = endpoint.readInputs(request);
  const credentials = endpoint.readCredentials(request, inputs, service.provenHeaders);
  const asker = await authenticateAsker(service, credentials, now, request.address);
  const named = inputs.get('client_id');
  if (named !== undefined && named !== credentials.id) {
    throw new Refusal('client_mismatch', { parameter: 'client_id' });
  }
  const text = endpoint.readToken(inputs);

  const token = await findStandingToken(service, text, now);
  if (token !== undefined && mayKnow(asker, token.client)) return told(accessFacts(service, token));
  // A refresh token at an API must not pass for good: a gateway is never told of one (HOSTILE 35).
  if (token !== undefined || asker === 'gateway') return inactive;
  const facts = await refreshFacts(service, asker, text, now);
  return facts === undefined ? inactive : told(facts);
}

type Asker = Client | 'gateway';

async function authenticateAsker(
  service: Service,
  credentials: PresentedCredentials,
  now: Instant,
  address: () => string,
): Promise<Asker> {
  const { store, programme } = service;
  const gateway = await store.findGateway(programme.id, credentials.id as GatewayId);
  const isGateway = gateway?.status === 'active' && holdsSecret(service, credentials, gateway, now);
  return isGateway ? 'gateway' : authenticateClient(service, credentials, now, address);
}

function mayKnow(asker: Asker, owner: Client): boolean {
  return asker === 'gateway' || asker.id === owner.id;
}

function accessFacts({ programme }: Service, token: StandingToken): object {
  return {
    token_type: 'bearer',
    client_id: token.client.id,
    sub: token.subject,
    ...(token.scope === undefined ? {} : { scope: token.scope }),
    iss: programme.issuer,
    aud: programme.audience,
    iat: epochSeconds(token.issuedAt),
    exp: epochSeconds(token.expiresAt),
    ...(token.tokenId === undefined ? {} : { jti: token.tokenId }),
  };
}

/** Without a token_type, which only access tokens have; asking spends nothing and revokes nothing. */
async function refreshFacts(
  { store, programme, directory }: Service,
  client: Client,
  text: string,
  now: Instant,
): Promise<object | undefined> {
  const state = await store.findRefreshToken(programme.id, tokenKey(text), now);
  if (state === undefined || state.revoked || state.rotated) return undefined;
  const { family, expiresAt } = state;
  if (family.client !== client.id) return undefined;
  if (directory.isOwn && !(await directory.isActive(family.member.subject))) return undefined;
  return {
    token_use: 'refresh_token',
    client_id: client.id,
    sub: family.member.subject,
    ...(family.scope === undefined ? {} : { scope: family.scope }),
    iss: programme.issuer,
    exp: epochSeconds(expiresAt),
  };
}

function told(facts: object): Reply {
  return { ...inactive, body: JSON.stringify({ active: true, ...facts }) };
}

const inactive: Reply = Object.freeze({
  status: 200,
  headers: Object.freeze({ 'Content-Type': 'application/json', ...noStore }),
  body: '{"active":false}',
});
