// Owns logging a member in as a browser does, and what a partner does with the code.

import { authorization, client, form, type RawRequest } from './requests.ts';

/** Every member's. */
export const password = 'correct horse battery staple';

/** The names of so many people of a kind; as long whoever it is. */
export function namesOf(kind: 'known' | 'other' | 'disabled' | 'locked', count: number): string[] {
  const prefix = kind.slice(0, 5);
  return Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(6, '0')}`);
}

/** A login page that a browser has opened. */
export interface OpenedPage {
  /** Path and query. */
  readonly target: string;
  readonly cookie: string;
  readonly hidden: Readonly<Record<string, string>>;
}

/** Begins a login at a programme and opens its page. */
export async function openPage(port: number, programme: string): Promise<OpenedPage> {
  const own = `http://127.0.0.1:${port}`;
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

/** Posts the page's form. */
export function attempt(page: OpenedPage, username: string, typed: string): RawRequest {
  const { target, cookie, hidden } = page;
  const fields = new URLSearchParams({ ...hidden, username, password: typed });
  return form(target, fields.toString(), { Cookie: cookie });
}

/** The code that a login at a programme brings. */
export async function logIn(port: number, username: string, programme: string): Promise<string> {
  const { target, cookie, hidden } = await openPage(port, programme);
  const done = await fetch(`http://127.0.0.1:${port}${target}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body: new URLSearchParams({ ...hidden, username, password }),
  });
  await done.text();
  const code = URL.parse(done.headers.get('location') ?? '')?.searchParams.get('code');
  if (code === null || code === undefined) throw new Error(`no code: ${done.status}`);
  return code;
}

export interface FormAnswer {
  readonly status: number;
  readonly body: string;
}

/** Posts a form as the partner. */
export async function post(
  port: number,
  path: string,
  fields: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<FormAnswer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams(fields),
    ...(signal && { signal }),
  });
  return { status: answer.status, body: await answer.text() };
}

/** Asks a token endpoint as the partner; throws where there are no tokens. */
export async function tokensFor(
  port: number,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<{ readonly access_token: string; readonly refresh_token: string }> {
  const { status, body } = await post(port, path, fields);
  if (status !== 200) throw new Error(`${fields['grant_type']}: ${status} ${body}`);
  return JSON.parse(body) as { readonly access_token: string; readonly refresh_token: string };
}

function hiddenFields(page: string): Readonly<Record<string, string>> {
  const inputs = page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)" ?\/?>/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
}
