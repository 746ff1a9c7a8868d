// Owns the HTTP side of a login: from raw requests to the engine's steps, and from outcomes to replies.

import { deviceCookieName, deviceLifetime } from '../engine/login/known_device.ts';
import type { LoginOutcome } from '../engine/login/outcome.ts';
import { type LoginFormRequest, attemptLogin, showLogin } from '../engine/login/page.ts';
import { answerLoginRequest } from '../engine/login/request.ts';
import { isLoginCookie } from '../engine/login/transaction.ts';
import type { Service } from '../engine/service.ts';
import { networkOf } from '../lib/ip_address.ts';
import { acceptedLanguages } from '../lib/language.ts';
import { randomText } from '../lib/random.ts';
import {
  MalformedParameters,
  noParameters,
  type Parameters,
  parseForm,
} from '../oauth/parameters.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import { headerValues, type RequestHead, type WireRequest } from '../oauth/wire_request.ts';
import type { LoginPageName, LoginTexts } from '../programme/login/texts.ts';
import type { Programme } from '../programme/programme.ts';
import { cookieValue, setCookie, takeBackOldest } from './cookies.ts';
import type { LoginPages } from './login_pages.ts';
import { withHeaders } from './respond.ts';

const deviceSeconds = deviceLifetime / 1000;

/** A programme in service, with its pages. */
export interface LoginSite {
  readonly service: Service;
  readonly pages: LoginPages;
}

/** The login request: from a partner's link to the login page. */
export async function handleLoginRequest(site: LoginSite, request: WireRequest): Promise<Reply> {
  return renderOutcome(site, await answerLoginRequest(site.service, request), request);
}

/** The login page: GET shows the form, POST is an attempt. */
export async function handleLoginPage(site: LoginSite, request: WireRequest): Promise<Reply> {
  const { service, pages } = site;
  const cookie = (name: string): string | undefined => cookieValue(request, name, pages.url);
  if (request.method === 'GET') {
    const sealed = single(parse(request.query), 'transaction');
    const reply = await renderOutcome(site, await showLogin(service, { sealed, cookie }), request);
    const taken = takeBackOldest(request, isLoginCookie, pages.url);
    // One that binds a login comes first: the form that follows takes the oldest back.
    if (taken === undefined || 'Set-Cookie' in reply.headers) return reply;
    return withHeaders(reply, { 'Set-Cookie': taken });
  }
  const from = { address: request.address(), hangUp: request.hangUp(), head: request };
  const attempt = { ...readForm(request), ...from, cookie };
  return renderOutcome(site, await attemptLogin(service, attempt), request);
}

/** A form in another encoding, or past its size, is one that our page did not send. */
function readForm(
  request: WireRequest,
): Pick<LoginFormRequest, 'sealed' | 'formToken' | 'language' | 'username' | 'password'> {
  const [type = ''] = headerValues(request, 'content-type');
  const isForm = /^application\/x-www-form-urlencoded(?:;|$)/i.test(type.trim());
  const fields =
    isForm && request.body !== 'too_large'
      ? parse(Buffer.from(request.body).toString())
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

function parse(text: string): Parameters {
  try {
    return parseForm(text);
  } catch (error) {
    if (error instanceof MalformedParameters) return noParameters;
    throw error;
  }
}

async function renderOutcome(
  { service, pages }: LoginSite,
  outcome: LoginOutcome,
  request: WireRequest,
): Promise<Reply> {
  switch (outcome.kind) {
    case 'begin': {
      const { status, sealed, cookie } = outcome;
      const reply = redirect(status, `${pages.url.href}?transaction=${sealed}`);
      if (cookie === undefined) return reply;
      const { name, value, maxAge } = cookie;
      return withHeaders(reply, { 'Set-Cookie': setCookie(name, value, pages.url, maxAge) });
    }
    case 'redirect':
      return outcome.device === undefined
        ? redirect(outcome.status, outcome.location)
        : withHeaders(redirect(outcome.status, outcome.location), {
            'Set-Cookie': setCookie(
              deviceCookieName(service.programme.id),
              outcome.device,
              pages.url,
              deviceSeconds,
            ),
          });
    case 'form':
    case 'page':
      break;
  }
  const asked = outcome.kind === 'form' ? outcome.form.transaction.language : outcome.language;
  const texts = textsFor(service.programme, request, asked);
  const reply =
    outcome.kind === 'form'
      ? await pages.form(outcome.form, texts, outcome.status)
      : await pages.message(
          outcome.page,
          texts,
          outcome.status,
          tell(service, outcome.page, request),
        );
  return withRetryAfter(reply, outcome.retryAfter);
}

/** Characters that are told apart however they are printed, and spelled on the telephone. */
const unambiguous = '23456789ABCDEFGHJKMNPQRSTVWXYZ';

/** How many stopped logins of one address are told to operators; the log is bounded for all addresses. */
const toldLogins = { limit: 20, window: 60_000 };

/**
 * Tells operators of a login that ended on a page; the reference that stands on that page. Of an
 * address that has had many there is neither.
 */
function tell(
  { log, programme, stoppedLogins, clock }: Service,
  reason: LoginPageName,
  request: WireRequest,
): string | undefined {
  const place = networkOf(request.address());
  if (!stoppedLogins.count(place, toldLogins, clock.now()).allowed) return undefined;
  const reference = randomText(unambiguous, 8);
  log.error('login_stopped', { programme: programme.id, reason, reference });
  return reference;
}

/** The texts in the language that was asked for, or else in one that the browser asks for. */
export function textsFor(
  { login: { languages } }: Programme,
  request: RequestHead,
  asked?: string,
): LoginTexts {
  if (asked !== undefined) return languages.texts(asked);
  const accepted = acceptedLanguages(headerValues(request, 'accept-language').join(','));
  return languages.texts(languages.choose(accepted));
}

function withRetryAfter(reply: Reply, seconds: number | undefined): Reply {
  if (seconds === undefined) return reply;
  return withHeaders(reply, { 'Retry-After': String(Math.ceil(seconds)) });
}

/** G-4: no body. The referrer would carry the login page's address to the partner. */
function redirect(status: number, location: string): Reply {
  return {
    status,
    headers: { Location: location, ...noStore, 'Referrer-Policy': 'no-referrer' },
    body: '',
  };
}
