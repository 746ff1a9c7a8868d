// Owns the requests of timing measurements (a login form, a client's token request), and masking
// what may differ between their answers.

import { client, type Directory } from './site.ts';

/** A request, whole, as a connection sends it. */
export type RawRequest = string;

export interface Door {
  /** Posts the form. */
  readonly attempt: (username: string, password: string) => RawRequest;
  /** An answer's body without the form's tokens and the repeated username. */
  readonly mask: (body: string, username: string) => string;
}

/** A login page that a browser has opened. */
export interface OpenedPage {
  /** Path and query. */
  readonly target: string;
  readonly cookie: string;
  readonly hidden: Readonly<Record<string, string>>;
}

/** Begins a login at a programme and opens its page. */
export async function openPage(own: string, programme: string): Promise<OpenedPage> {
  const target = `/${programme}/auth/login?client_id=${client.id}&response_type=code`;
  const begin = await fetch(own + target, { redirect: 'manual' });
  await begin.text();
  const location = begin.headers.get('location');
  if (location === null) throw new Error(`no login begins: ${begin.status}`);
  const [cookie = ''] = (begin.headers.get('set-cookie') ?? '').split(';');
  const { pathname, search } = new URL(location);
  const page = await fetch(own + pathname + search, { headers: { cookie } });
  return { target: pathname + search, cookie, hidden: hiddenFields(await page.text()) };
}

export async function openDoor(port: number, directory: Directory): Promise<Door> {
  const { target, cookie, hidden } = await openPage(`http://127.0.0.1:${port}`, directory);
  return {
    attempt: (username, password) =>
      form(target, { ...hidden, username, password }, { Cookie: cookie }),
    mask: (body, username) =>
      Object.values(hidden)
        .reduce((text, value) => text.replaceAll(value, 'HIDDEN'), body)
        .replace(`value="${username}"`, 'value="USERNAME"'),
  };
}

/** Asks a token endpoint for a client's own token. */
export function tokenRequest(path: string, id: string, secret: string): RawRequest {
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const fields = { grant_type: 'client_credentials' };
  return form(path, fields, { Authorization: authorization });
}

function form(
  target: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): RawRequest {
  const body = new URLSearchParams(fields).toString();
  const lines = [
    `POST ${target} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

function hiddenFields(page: string): Readonly<Record<string, string>> {
  const inputs = page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)" ?\/?>/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
}
