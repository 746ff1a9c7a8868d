// Owns logging a member in as a browser does, and what a partner does with the code.

import { logIn as logInAt, type OpenLogin, openLogin } from '../../test/support/login.ts';
import { authorization, client, form, type RawRequest } from './requests.ts';

/** Every member's. */
export const password = 'correct horse battery staple';

/** The names of so many people of a kind; as long whoever it is. */
export function namesOf(kind: 'known' | 'other' | 'disabled' | 'locked', count: number): string[] {
  const prefix = kind.slice(0, 5);
  return Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(6, '0')}`);
}

function pageOf(port: number, programme: string): readonly [base: string, target: string] {
  const query = `client_id=${client.id}&response_type=code`;
  return [`http://127.0.0.1:${port}`, `/${programme}/auth/login?${query}`];
}

/** Begins a login at a programme and opens its page. */
export function openPage(port: number, programme: string): Promise<OpenLogin> {
  return openLogin(...pageOf(port, programme));
}

/** Posts the page's form. */
export function attempt(page: OpenLogin, username: string, typed: string): RawRequest {
  const fields = new URLSearchParams({ ...page.hidden, username, password: typed });
  return form(page.action, fields.toString(), { Cookie: page.cookie });
}

/** The code that a login at a programme brings. */
export function logIn(port: number, username: string, programme: string): Promise<string> {
  return logInAt(...pageOf(port, programme), { username, password });
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
