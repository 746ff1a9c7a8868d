// Owns introspection (RFC 7662): its ordered steps, and what is told of a live token.

import { epochSeconds, type Instant } from '../lib/clock.ts';
import type { Client, GatewayId } from '../oauth/client.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import type { WireRequest } from '../oauth/wire_request.ts';
import type { PresentedCredentials } from '../programme/requests/presented_credentials.ts';
import type { TokenManagementEndpoint } from '../programme/requests/token_management.ts';
import { judgeRefresh, refreshEnd } from '../store/judgement.ts';
import { authenticateClient } from './authentication/client.ts';
import { holdsSecret } from './authentication/secret.ts';
import { answering, forcibleAt } from './failure.ts';
import { findStandingToken, type StandingToken, subjectOf } from './presented/access_token.ts';
import { findRefresh, Presented } from './presented/refresh_token.ts';
import { audienceOf } from './resource.ts';
import type { Service } from './service.ts';
import { type Authenticating, readQuestion } from './token_question.ts';

/** Answers an introspection request. */
export const answerIntrospection = answering(introspect, { forcible: forcibleAt });

/**
 * A gateway may ask about every access token of its programme, a client about its own
 * tokens. Any other token gets the answer of a dead one (RFC 7662 2.2 and 4).
 */
async function introspect(
  service: Service,
  endpoint: TokenManagementEndpoint,
  request: WireRequest,
): Promise<Reply> {
  const authenticate: Authenticating<Asker> = async (credentials, at) => {
    const gateway = await findGateway(service, credentials, at);
    if (gateway !== undefined) return { id: gateway };
    const { client } = await authenticateClient(service, credentials, at, request);
    return { id: client.id, client };
  };
  const question = await readQuestion(service, endpoint, request, authenticate);
  const { text, now } = question;
  const { client } = question.asker;
  const token = await findStandingToken(service, text, now);
  if (typeof token === 'string') {
    // An API must not take a refresh token for a good one: a gateway is never told of any (HOSTILE 35).
    const facts = client && (await refreshFacts(service, client, text, now));
    return facts === undefined ? inactive : active(facts);
  }
  const isTold = client === undefined || client.id === token.client.id;
  return isTold ? active(accessFacts(service, token)) : inactive;
}

interface Asker {
  readonly id: string;
  /** Absent for a gateway. */
  readonly client?: Client;
}

/** The gateway that the credentials name and prove. */
async function findGateway(
  service: Service,
  credentials: PresentedCredentials,
  now: Instant,
): Promise<GatewayId | undefined> {
  if (credentials.kind !== 'secret') return undefined;
  const { store, programme } = service;
  const gateway = await store.find('gateway', programme.id, credentials.id as GatewayId);
  if (gateway?.status !== 'active') return undefined;
  return holdsSecret(service, credentials, gateway, now) ? gateway.id : undefined;
}

/** Undefined members are left out of the JSON. */
function accessFacts(service: Service, token: StandingToken): object {
  const { programme } = service;
  return {
    token_type: 'bearer',
    client_id: token.client.id,
    sub: token.toldSubject ?? token.subject,
    scope: token.scope,
    iss: token.jti === undefined ? programme.issuer : programme.access.issuer,
    aud: audienceOf(service, token),
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
  const { programme, directory } = service;
  if (!programme.grants.has('refresh_token')) return undefined;
  const found = await findRefresh(service, text, now);
  const login = found?.login;
  if (found === undefined || login === undefined) return undefined;
  if (judgeRefresh(login, new Presented(service, client, found), now) !== 'rotate')
    return undefined;
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
