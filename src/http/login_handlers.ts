// Owns the HTTP side of a login: raw requests become the engine's requests, outcomes become replies.

import { deviceCookieName, deviceLifetime } from '../engine/login/known_device.ts';
import type { LoginCookie, LoginOutcome } from '../engine/login/outcome.ts';
import { type LoginFormRequest, attemptLogin, showLogin } from '../engine/login/page.ts';
import { answerLoginRequest } from '../engine/login/request.ts';
import { cookieName, isLoginCookie } from '../engine/login/transaction.ts';
import type { Service } from '../engine/service.ts';
import { acceptedLanguages } from '../lib/language.ts';
import { noParameters, type Parameters, parseFormOrNone } from '../oauth/parameters.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import { headerValues, type RequestHead, type WireRequest } from '../oauth/wire_request.ts';
import type { LoginTexts } from '../programme/login/texts.ts';
import type { Programme } from '../programme/programme.ts';
import { cookieValue, setCookie, takeBackOldest } from './cookies.ts';
import { createLoginPages, type FilledForm, type LoginPages } from './login_pages.ts';
import { withHeaders } from './respond.ts';

const deviceSeconds = deviceLifetime / 1000;

/** A programme in service, with its pages. */
export interface LoginSite {
  readonly service: Service;
  readonly pages: LoginPages;
  /** More headers of its pages and redirects. */
  readonly pageHeaders: Readonly<Record<string, string>>;
}

/** @param filled the member of a demo, for a form that was not sent yet */
export function createLoginSite(service: Service, filled?: FilledForm): LoginSite {
  return { service, pages: createLoginPages(service.programme, filled), pageHeaders: {} };
}

/** The login request: from a partner's link to the login page. */
export async function handleLoginRequest(site: LoginSite, request: WireRequest): Promise<Reply> {
  return answerWith(site, await answerLoginRequest(site.service, request), request);
}

/** The login page: GET shows the form, POST is an attempt. */
export async function handleLoginPage(site: LoginSite, request: WireRequest): Promise<Reply> {
  const { service, pages } = site;
  const { record } = request;
  const cookie = (name: string): string | undefined => cookieValue(request, name, pages.url);
  if (request.method === 'GET') {
    if (service.programme.login.endpoint.binds === 'first_page' && isAhead(request))
      return askAgain;
    const sealed = single(parseFormOrNone(request.query), 'transaction');
    return answerWith(site, await showLogin(service, { sealed, cookie, record }), request);
  }
  const from = { address: request.address(), hangUp: request.hangUp(), head: request };
  const attempt = { ...readForm(request), ...from, cookie, record };
  return answerWith(site, await attemptLogin(service, attempt), request);
}

/**
 * Whether a browser asks before anybody has decided to go there: such a request may come without the
 * browser's cookies, and would be the first that the login is bound to (HOSTILE 92).
 */
function isAhead(request: RequestHead): boolean {
  return purposes.some((name) =>
    /prefetch|preview|prerender/i.test(headerValues(request, name).join()),
  );
}

const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;

/** Browsers throw it away, and ask again once somebody goes there. */
const askAgain: Reply = Object.freeze({
  status: 503,
  headers: Object.freeze({ ...noStore }),
  body: '',
});

/** The reply, with the cookies that the login gets, and without the oldest of too many others. */
async function answerWith(
  site: LoginSite,
  outcome: LoginOutcome,
  request: WireRequest,
): Promise<Reply> {
  const { url } = site.pages;
  const reply = await renderOutcome(site, outcome, request);
  const given = cookiesFrom(outcome, site.service);
  const staying = outcome.kind === 'form' ? [cookieName(outcome.form.transaction)] : [];
  const own = [...staying, ...given.map(({ name }) => name).filter(isLoginCookie)];
  const cookies = [
    ...given.map(({ name, value, maxAge }) => setCookie(name, value, url, maxAge)),
    ...takeBackOldest(request, isLoginCookie, url, own),
  ];
  return cookies.length === 0 ? reply : { ...reply, cookies };
}

function cookiesFrom(outcome: LoginOutcome, { programme }: Service): readonly LoginCookie[] {
  if (outcome.kind === 'begin') return outcome.cookie === undefined ? [] : [outcome.cookie];
  if (outcome.kind !== 'return') return [];
  const { device, finished } = outcome;
  const name = deviceCookieName(programme.id);
  const known = device === undefined ? [] : [{ name, value: device, maxAge: deviceSeconds }];
  return finished === undefined ? known : [...known, finished];
}

/** A form in another encoding or of excessive size is not our page's: it counts as empty. */
function readForm(
  request: WireRequest,
): Pick<LoginFormRequest, 'sealed' | 'formToken' | 'language' | 'username' | 'password'> {
  const [type = ''] = headerValues(request, 'content-type');
  const isForm = /^application\/x-www-form-urlencoded(?:;|$)/i.test(type.trim());
  const fields =
    isForm && request.body !== 'too_large'
      ? parseFormOrNone(Buffer.from(request.body).toString())
      : noParameters;
  return {
    sealed: single(fields, 'transaction'),
    formToken: single(fields, 'csrf'),
    language: single(fields, 'language'),
    username: single(fields, 'username') ?? '',
    password: single(fields, 'password') ?? '',
  };
}

function single(parameters: Parameters, name: string): string | undefined {
  const values = parameters.get(name);
  return values?.length === 1 ? values[0] : undefined;
}

async function renderOutcome(
  { service, pages }: LoginSite,
  outcome: LoginOutcome,
  request: WireRequest,
): Promise<Reply> {
  const { record } = request;
  switch (outcome.kind) {
    case 'begin': {
      const { status, sealed } = outcome;
      return redirect(status, `${pages.url.href}?transaction=${sealed}`);
    }
    case 'return': {
      const { way, partner, language } = outcome;
      return 'location' in way
        ? redirect(302, way.location)
        : pages.post(way, partner, textsFor(service.programme, request, language));
    }
    case 'reply':
      return outcome.reply;
    case 'form':
    case 'page':
      break;
  }
  const asked = outcome.kind === 'form' ? outcome.form.transaction.language : outcome.language;
  const texts = textsFor(service.programme, request, asked);
  const { status } = outcome;
  const reply =
    outcome.kind === 'form'
      ? await pages.form(outcome.form, texts, status)
      : await pages.message(outcome.page, texts, status, {
          reference: record.endpoint.idHeader && record.id,
          back: outcome.back,
        });
  const { retryAfter } = outcome;
  if (retryAfter === undefined) return reply;
  return withHeaders(reply, { 'Retry-After': String(Math.ceil(retryAfter)) });
}

/** The texts in the requested language, or else in one that the browser accepts. */
export function textsFor(
  { login: { languages } }: Programme,
  request: RequestHead,
  asked?: string,
): LoginTexts {
  if (asked !== undefined) return languages.texts(asked);
  const accepted = acceptedLanguages(headerValues(request, 'accept-language').join(','));
  return languages.texts(languages.choose(accepted));
}

/** G-4: no body. The referrer would carry the login page's address to the partner. */
function redirect(status: number, location: string): Reply {
  return {
    status,
    headers: { Location: location, ...noStore, 'Referrer-Policy': 'no-referrer' },
    body: '',
  };
}
