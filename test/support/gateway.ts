// Owns the gateway's side as tests meet it: verify requests, their answers, and credentials of a
// gateway.

import type { ClientId, ProgrammeId, GatewayId } from '../../src/oauth/client.ts';
import type { Jetway } from './jetway.ts';
import { type Answer, ask, post } from './wire.ts';

/** What identifies a request to the API. */
export interface Shown {
  readonly token?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function shown({ token, apiKey, headers }: Shown): Readonly<Record<string, string>> {
  return {
    ...headers,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
  };
}

/** Asks about a request; `target` follows `/verify/`. */
export function verify(
  { url }: Pick<Jetway, 'url'>,
  programme: string,
  target: string,
  request: Shown,
): Promise<Answer> {
  return ask(url, `/${programme}/verify/${target}`, { headers: shown(request) });
}

/** YAML that turns on what a programme can have beside verification. */
export const managed =
  'introspection: { path: /introspect }\nrevocation: { path: /revoke }\nmetadata: on\n';

/** Asks about a token where the programme has `managed`. */
export function introspect(
  { url }: Pick<Jetway, 'url'>,
  base: string,
  authorization: string,
  token: string,
): Promise<Answer> {
  return post(url, `/${base}/introspect`, { token }, { authorization });
}

/** Gives a token up where the programme has `managed`. */
export function revoke(
  { url }: Pick<Jetway, 'url'>,
  base: string,
  authorization: string,
  token: string,
): Promise<Answer> {
  return post(url, `/${base}/revoke`, { token }, { authorization });
}

/** RFC 7662 2.2: what is told of a token that is no good, or nobody's business. */
export const inactive: Answer = {
  status: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' },
  body: '{"active":false}',
};

/** RFC 7009 2.2. */
export const given: Answer = {
  status: 200,
  headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
  body: '',
};

/**
 * What a request that may pass is answered with, in full; headers not named are empty, and `own` are
 * those of the dialect.
 */
export function passed(
  facts: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>> = {},
): Answer {
  const names = [
    'environment',
    'programme',
    'kind',
    'client-id',
    'context',
    'partner-id',
    'subject',
    'membership-number',
    'scope',
    'level',
    'expires',
  ];
  const headers = names.map((name) => [`x-auth-${name}`, facts[name] ?? '']);
  return {
    status: 200,
    headers: {
      'cache-control': 'no-store',
      pragma: 'no-cache',
      ...(Object.fromEntries(headers) as Readonly<Record<string, string>>),
      'x-auth-environment': 'staging',
      ...own,
    },
    body: '',
  };
}

/** Gives a client an API key; returns it. */
export async function giveApiKey(
  { store, keyring, clock }: Jetway,
  programme: string,
  client: string,
  key = `jw_staging_key-of-${client}`,
  expiresIn?: number,
): Promise<string> {
  const now = clock.now();
  const expiresAt = expiresIn === undefined ? undefined : now + expiresIn * 1000;
  const apiKey = {
    digest: keyring.secretDigest(key),
    createdAt: now,
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt as typeof now }),
  };
  await store.change('client', programme as ProgrammeId, client as ClientId, (before) => ({
    ...before,
    apiKeys: [...before.apiKeys, apiKey],
  }));
  return key;
}

/** Registers a gateway; returns its Authorization header. */
export async function addGateway(
  { store, keyring, clock }: Jetway,
  programme: string,
  id = 'gateway-1',
  secret = 'a-gateway-secret',
): Promise<string> {
  const createdAt = clock.now();
  await store.add('gateway', [
    {
      programme: programme as ProgrammeId,
      id: id as GatewayId,
      name: 'Gateway',
      secrets: [{ digest: keyring.secretDigest(secret), createdAt }],
      status: 'active',
      createdAt,
    },
  ]);
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}
