// Owns walking through a login as a browser does: redirect, cookie, form, redirect.

import { type Answer, ask, post } from './wire.ts';

/** A login page in a browser: its form, and the cookie that came before it. */
export interface OpenLogin {
  readonly begin: Answer;
  /** The redirect that brought the cookie: `begin`, or that of the page's address (P-3). */
  readonly bound: Answer;
  readonly page: Answer;
  /** Path of the form's action. */
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  readonly cookie: string;
}

/** Follows a login request to the login page; `form` is what a page of the partner posts. */
export async function openLogin(
  base: string,
  target: string,
  method = 'GET',
  form?: Readonly<Record<string, string>>,
): Promise<OpenLogin> {
  const begin = await (form ? post(base, target, form) : ask(base, target, { method }));
  if (begin.headers['location'] === undefined) {
    throw new Error(`no login begins: ${begin.status} ${begin.body}`);
  }
  const bound = begin.headers['set-cookie'] === undefined ? await follow(base, begin) : begin;
  const cookie = cookieIn(bound);
  const page = await follow(base, bound, { cookie });
  return { begin, bound, page, cookie, ...formOf(page) };
}

/** The cookie that an answer sets, as a browser sends it. */
export function cookieIn(answer: Answer): string {
  return (answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';
}

/** Goes where an answer leads, on the same server. */
export function follow(
  base: string,
  answer: Answer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { pathname, search } = new URL(answer.headers['location'] ?? '');
  return ask(base, pathname + search, { headers });
}

/** Posts the form as the browser that opened it. */
export function submitLogin(
  base: string,
  login: OpenLogin,
  fields: { readonly username: string; readonly password: string },
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { username, password } = fields;
  return post(
    base,
    login.action,
    { ...login.hidden, username, password },
    {
      cookie: login.cookie,
      ...headers,
    },
  );
}

const deviceCookie =
  /^(?:__Host-jetway_device_[a-z0-9-]+=[\w-]{100,400}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax; Secure|jetway_device_[a-z0-9-]+=[\w-]{100,400}; Path=\/[\w./-]+\/login; Max-Age=15552000; HttpOnly; SameSite=Lax)$/;

/** The login's own cookie until its code ends; only after a success. */
const finishedCookie =
  /^(?:__Host-jetway_login_[\w-]{16}=[\w-]{32}\.finished; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure|jetway_login_[\w-]{16}=[\w-]{32}\.finished; Path=\/[\w./-]+; Max-Age=\d+; HttpOnly; SameSite=Lax)$/;

/** The cookies that an answer sets. */
export function cookiesIn(answer: Answer): readonly string[] {
  return (answer.headers['set-cookie'] ?? '').split(/,(?=\S)/).filter((one) => one !== '');
}

/** The cookie by which a browser is known after a login; throws where an answer brings none. */
export function deviceOf(answer: Answer): string {
  const found = cookiesIn(answer).find((one) => deviceCookie.test(one));
  if (found === undefined) throw new Error(`no device cookie: ${cookiesIn(answer).join()}`);
  return found.split(';')[0] ?? '';
}

/** The answer to a login that succeeded, without that cookie and the login's own, which must be there. */
export function withoutDevice(answer: Answer): Answer {
  deviceOf(answer);
  return withoutFinished(answer, 2);
}

/** The same without a lockout: there is the login's own cookie alone. */
export function withoutFinished(answer: Answer, count = 1): Answer {
  const cookies = cookiesIn(answer);
  if (cookies.length !== count || !cookies.some((one) => finishedCookie.test(one))) {
    throw new Error(`not the cookies of a finished login: ${cookies.join()}`);
  }
  const { 'set-cookie': _, ...headers } = answer.headers;
  return { ...answer, headers };
}

/** A page without what differs from form to form, and the username that is shown again. */
export function masked(answer: Answer, login: OpenLogin, username: string): Answer {
  const escaped = username.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const body = Object.values(login.hidden)
    .reduce((text, value) => text.replaceAll(value, 'HIDDEN'), answer.body)
    .replace(`value="${escaped}"`, 'value="USERNAME"');
  if (!body.includes('value="USERNAME"')) throw new Error(`${username} is not shown: ${body}`);
  return { ...answer, body };
}

/** A whole login: the code that arrives at the partner. */
export async function logIn(
  base: string,
  target: string,
  member: { readonly username: string; readonly password: string },
): Promise<string> {
  const login = await openLogin(base, target);
  const answer = await submitLogin(base, login, member);
  const code = URL.parse(answer.headers['location'] ?? '')?.searchParams.get('code');
  if (code === null || code === undefined)
    throw new Error(`no code: ${answer.status} ${answer.body}`);
  return code;
}

/** The form of a page. */
export function formOf({ body }: Answer): Pick<OpenLogin, 'action' | 'hidden'> {
  const inputs = body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)" ?\/?>/g);
  return {
    action: /<form[^>]* action="([^"]*)"/.exec(body)?.[1] ?? '',
    hidden: Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value])),
  };
}
