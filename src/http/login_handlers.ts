// Owns the HTTP side of a login: raw requests become the engine's requests, outcomes become replies.

import { pageCauses } from '../engine/causes/login.ts';
import { deviceCookieName, deviceLifetime } from '../engine/login/known_device.ts';
import type { LoginOutcome } from '../engine/login/outcome.ts';
import { type LoginFormRequest, attemptLogin, showLogin } from '../engine/login/page.ts';
import { answerLoginRequest } from '../engine/login/request.ts';
import { isLoginCookie } from '../engine/login/transaction.ts';
import type { Service } from '../engine/service.ts';
import { acceptedLanguages } from '../lib/language.ts';
import { present } from '../lib/present.ts';
import { noParameters, type Parameters, parseFormOrNone } from '../oauth/parameters.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import type { RecordedFailure } from '../oauth/request_record.ts';
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
  return renderOutcome(site, await answerLoginRequest(site.service, request), request);
}

/** The login page: GET shows the form, POST is an attempt. */
export async function handleLoginPage(site: LoginSite, request: WireRequest): Promise<Reply> {
  const { service, pages } = site;
  const { record } = request;
  const cookie = (name: string): string | undefined => cookieValue(request, name, pages.url);
  if (request.method === 'GET') {
    const sealed = single(parseFormOrNone(request.query), 'transaction');
    const outcome = await showLogin(service, { sealed, cookie, record });
    const reply = await renderOutcome(site, outcome, request);
    const taken = takeBackOldest(request, isLoginCookie, pages.url);
    // A cookie that binds a login takes precedence: the page that follows takes the oldest back.
    if (taken === undefined || 'Set-Cookie' in reply.headers) return reply;
    return withHeaders(reply, { 'Set-Cookie': taken });
  }
  const from = { address: request.address(), hangUp: request.hangUp(), head: request };
  const attempt = { ...readForm(request), ...from, cookie, record };
  return renderOutcome(site, await attemptLogin(service, attempt), request);
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
  record.failure = failureOf(outcome);
  switch (outcome.kind) {
    case 'begin': {
      const { status, sealed, cookie } = outcome;
      const reply = redirect(status, `${pages.url.href}?transaction=${sealed}`);
      if (cookie === undefined) return reply;
      const { name, value, maxAge } = cookie;
      return withHeaders(reply, { 'Set-Cookie': setCookie(name, value, pages.url, maxAge) });
    }
    case 'return': {
      const { way, partner, language, device } = outcome;
      const reply =
        'location' in way
          ? redirect(302, way.location)
          : await pages.post(way, partner, textsFor(service.programme, request, language));
      if (device === undefined) return reply;
      const name = deviceCookieName(service.programme.id);
      return withHeaders(reply, {
        'Set-Cookie': setCookie(name, device, pages.url, deviceSeconds),
      });
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
      : await pages.message(outcome.page, texts, status, record.endpoint.idHeader && record.id);
  const { retryAfter } = outcome;
  if (retryAfter === undefined) return reply;
  return withHeaders(reply, { 'Retry-After': String(Math.ceil(retryAfter)) });
}

/** The failure of an outcome: as the engine tells it, or by the page or message that is shown. */
function failureOf(outcome: LoginOutcome): RecordedFailure | undefined {
  if (outcome.kind === 'begin') return undefined;
  if (outcome.kind === 'return' || outcome.kind === 'reply') return outcome.failure;
  if (outcome.kind === 'page') {
    const { page, failure } = outcome;
    return failure ?? { reason: page, facts: present({ cause: pageCauses[page] }) };
  }
  const [reason] = outcome.form.messages;
  return reason && { reason, facts: present({ cause: outcome.cause }) };
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
