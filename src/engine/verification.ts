// Owns the verification of a request for a gateway: its ordered steps, top to bottom (C-4, P-15).

import { isDeepStrictEqual } from 'node:util';

import type { Instant } from '../lib/clock.ts';
import type { Soon } from '../lib/pause.ts';
import { ownCause } from '../oauth/cause.ts';
import type { Client } from '../oauth/client.ts';
import { Refusal } from '../oauth/failure.ts';
import type { FailureReason } from '../oauth/reasons.ts';
import type { Reply } from '../oauth/reply.ts';
import type { RequestRecord } from '../oauth/request_record.ts';
import type { WireRequest } from '../oauth/wire_request.ts';
import type { Caller } from '../programme/requests/client_values.ts';
import type { Demand } from '../programme/requests/verification.ts';
import { isLiveKey } from './authentication/secret.ts';
import { deadKey, deadToken } from './causes/token.ts';
import { answering, renderFailure, type ReportedFailure } from './failure.ts';
import { findStandingToken, memberOf } from './presented/access_token.ts';
import { missingToken, readBearer } from './presented/bearer.ts';
import { expectAudience } from './resource.ts';
import type { Service } from './service.ts';
import { passed } from './verification_answer.ts';

/** A request as a gateway shows it: its head alone, its body is the API's. */
export type ShownRequest = Pick<WireRequest, 'query' | 'rawHeaders' | 'record'>;

/**
 * Answers whether a request may pass; never rejects. The path is what follows `/verify/`; undefined
 * where it names no mode.
 */
export const answerVerification = answering(readAndVerify, {
  forcible: ({ verificationFailures }) => verificationFailures,
  render: refuseVerification,
});

function readAndVerify(
  service: Service,
  path: string,
  request: ShownRequest,
): Soon<Reply | undefined> {
  request.record.step = 'demand';
  const demand = service.programme.verification.readDemand(path, request.query);
  return demand && verify(service, demand, request);
}

/** The steps: what is missing is told first, then a bad key or token, then what they may not do. */
async function verify(service: Service, demand: Demand, request: ShownRequest): Promise<Reply> {
  const now = service.clock.now();
  const { verification } = service.programme;
  const { record } = request;
  record.step = 'credentials';
  const apiKey = verification.readApiKey(request);
  const bearer = readBearer(service, request, verifyRule);
  if (demand.key && apiKey === undefined) {
    const parameter = verification.apiKeyHeader.toLowerCase();
    const expected = `the header ${parameter}, which the gateway demands`;
    const cause = ownCause(['verify', 'api_key_header'], expected, 'none', parameter);
    throw new Refusal('missing_api_key', { parameter, cause });
  }
  if (demand.mode !== 'none' && bearer === undefined) {
    throw missingToken(request, verifyRule, demand.mode);
  }
  record.step = 'headers';
  const headers = verification.readHeaders(request);
  record.step = 'api_key';
  const holders = apiKey === undefined ? [] : await holdersOf(service, apiKey, now, record);
  record.step = 'token';
  const found = bearer === undefined ? undefined : await findStandingToken(service, bearer, now);
  const token = typeof found === 'string' ? undefined : found;
  record.client = token?.client.id ?? holders[0]?.id;
  record.member = token && memberOf(token)?.subject;
  if (bearer !== undefined && typeof found === 'string') {
    throw new Refusal('invalid_token', { cause: await deadToken(service, found, bearer, now) });
  }
  // C-2: a key beside a token names the caller, to whom the token must have been issued.
  if (apiKey !== undefined && token !== undefined && !holds(holders, token.client)) {
    const expected = 'a key and a token of one client';
    const cause = { rule: verifyRule, expected, came: 'a key and a token of two' };
    throw new Refusal('invalid_api_key', { cause });
  }
  record.step = 'client_values';
  const meant = verification.clientsMeant(headers, token === undefined ? holders : [token.client]);
  if (demand.mode === 'none' || token === undefined) {
    return passed(service, token?.client ?? sharedBy(holders, meant), headers);
  }
  expectAudience(service, token, verifyRule, demand.audience);
  record.step = 'scope';
  if (token.kind !== demand.mode) {
    const cause = ownCause(verifyRule, `a token of a ${demand.mode}`, `one of a ${token.kind}`);
    throw new Refusal('insufficient_scope', { cause });
  }
  verification.checkScope(demand, token.scope);
  return passed(service, token.client, headers, token);
}

function holds(holders: readonly Client[], { id }: Client): boolean {
  return holders.some((holder) => holder.id === id);
}

/**
 * The caller by a key alone: its holder, or of several holders the context, partner and properties that
 * the clients which the request may mean have in common.
 */
function sharedBy(holders: readonly Client[], meant: readonly Client[]): Caller {
  const [first, another] = holders;
  if (first !== undefined && another === undefined) return first;
  const properties = Object.entries(meant[0]?.properties ?? {}).filter(([name, value]) =>
    meant.every((client) => isDeepStrictEqual(client.properties[name], value)),
  );
  return {
    ...agreed(meant, 'businessContext'),
    ...agreed(meant, 'partnerId'),
    properties: Object.fromEntries(properties),
  };
}

function agreed(clients: readonly Client[], field: 'businessContext' | 'partnerId'): Caller {
  const value = clients[0]?.[field];
  if (value === undefined || clients.some((client) => client[field] !== value)) return {};
  return { [field]: value };
}

const verifyRule = ['verify'];

/** The active clients of whom the key is live; its use is recorded for each. */
async function holdersOf(
  service: Service,
  apiKey: string,
  now: Instant,
  record: RequestRecord,
): Promise<readonly Client[]> {
  const { store, programme, keyring } = service;
  const digest = keyring.secretDigest(apiKey);
  const clients = await store.findBy('client', 'api_key', programme.id, digest);
  const holders = clients.filter(
    (client) =>
      client.status === 'active' && isLiveKey(service, client, digest, client.apiKeys, now),
  );
  if (holders.length === 0) {
    record.hasWrongKey = true;
    throw new Refusal('invalid_api_key', { cause: deadKey(clients, apiKey) });
  }
  return holders;
}

/**
 * A gateway lets a request pass on any success: a failure keeps a status of 400 or more, also where
 * the dialect answers failures with success elsewhere. A challenge asks for a token, never for a
 * client's credentials, which the API does not take.
 */
export function refuseVerification(service: Service, failure: ReportedFailure): Reply {
  const reply = renderFailure(service, failure);
  const { status, headers } = reply;
  const own = `${service.programme.clients.scheme} `;
  const asked = headers['WWW-Authenticate'];
  const challenge = asked?.startsWith(own) ? `Bearer ${asked.slice(own.length)}` : asked;
  return {
    ...reply,
    status: status >= 400 ? status : (plainStatus[failure.reason] ?? 401),
    headers: challenge === undefined ? headers : { ...headers, 'WWW-Authenticate': challenge },
  };
}

const plainStatus: Readonly<Partial<Record<FailureReason, number>>> = {
  unknown_parameter: 400,
  repeated_parameter: 400,
  invalid_parameter: 400,
  malformed_body: 400,
  missing_header: 400,
  invalid_header: 400,
  programme_mismatch: 400,
  insufficient_scope: 403,
  server_error: 500,
  temporarily_unavailable: 503,
};
