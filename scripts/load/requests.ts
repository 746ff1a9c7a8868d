// Owns the raw requests that load is made of, and the partner that sends them.

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
export function tokenRequest(
  path: string,
  Authorization = authorization,
  more: Readonly<Record<string, string>> = {},
): RawRequest {
  return form(path, 'grant_type=client_credentials', { Authorization, ...more });
}
