// Owns the raw requests that load is made of, the partner that sends them, and the streams of them that
// campaigns offer to a server of one programme, `store`.

import type { StreamOrder } from './generator.ts';
import type { Server } from './server.ts';

/** A request, whole, as a connection sends it. */
export type RawRequest = string;

/** The partner of every campaign's programmes. */
export const client = {
  id: 'partnerapi-12345',
  secret: 'jyVn3Y4Ow9nLqRlxTt5bDWqtCvUuQ0u6cJx2bTnC3Zk',
  redirectUri: 'https://partner.example/callback',
} as const;

/** Value of an Authorization header. */
export function basic(id: string, secret: string): string {
  return `Basic ${btoa(`${id}:${secret}`)}`;
}

export const authorization: string = basic(client.id, client.secret);

/** Posts a form whose body is ASCII. */
export function form(
  target: string,
  body: string,
  headers: Readonly<Record<string, string>> = { Authorization: authorization },
): RawRequest {
  const lines = [
    `POST ${target} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

export function get(target: string, ...headers: readonly string[]): RawRequest {
  return [`GET ${target} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, '\r\n'].join('\r\n');
}

/** Asks for a client's own token. */
export function tokenRequest(path: string, Authorization = authorization): RawRequest {
  return form(path, 'grant_type=client_credentials', { Authorization });
}

/** A stream of one request: `rate` a second, or with 0 as fast as its connections are answered. */
type Stream = (rate: number, connections: number) => StreamOrder;

export const tokenPath = '/store/api/grant';

/** The streams by name; `verify` asks about the bearer's token, or without one is refused. */
export function streamsTo(
  { port, gatewayPort, adminPort }: Server,
  bearer?: string,
): Readonly<Record<'token' | 'wrong secret' | 'login' | 'verify' | 'health', Stream>> {
  const stream =
    (name: string, to: number, request: string): Stream =>
    (rate, connections) => ({ name, port: to, requests: [request], connections, rate });
  const proof = bearer === undefined ? [] : [`Authorization: Bearer ${bearer}`];
  const wrong = basic(client.id, 'a secret that it never had');
  const login = `/store/auth/login?client_id=${client.id}&response_type=code`;
  return {
    token: stream('token', port, tokenRequest(tokenPath)),
    'wrong secret': stream('wrong secret', port, tokenRequest(tokenPath, wrong)),
    /** Each begins a login. */
    login: stream('login', port, get(login)),
    verify: stream('verify', gatewayPort, get('/store/verify/client', ...proof)),
    health: stream('health', adminPort, get('/livez')),
  };
}
