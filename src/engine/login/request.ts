// Owns the login request: its ordered steps, from a partner's link to the login page.

import { after } from '../../lib/clock.ts';
import { spacedLanguages } from '../../lib/language.ts';
import type { Client, ClientId } from '../../oauth/client.ts';
import {
  InMaintenance,
  type LoginFailureReason,
  LoginRefusal,
  Refusal,
  Unavailable,
} from '../../oauth/failure.ts';
import type { RecordedFailure } from '../../oauth/request_record.ts';
import type { WireRequest } from '../../oauth/wire_request.ts';
import type { ReturnAddress } from '../../programme/answers/redirect_answer.ts';
import type { LoginReading } from '../../programme/login/endpoint.ts';
import { reportFailure } from '../failure.ts';
import { expectInService } from '../maintenance.ts';
import type { Service } from '../service.ts';
import type { LoginOutcome } from './outcome.ts';
import { forcedLogin } from './sandbox.ts';
import {
  beginTransaction,
  bindTransaction,
  cookieName,
  type LoginTransaction,
  sealTransaction,
} from './transaction.ts';

type LoginSteps<Request> = (service: Service, request: Request) => Promise<LoginOutcome>;

/** The outcome of a login's steps; in maintenance no step is taken, and the page tells of difficulties. */
export function loginAnswering<Request>(steps: LoginSteps<Request>): LoginSteps<Request> {
  return async (service, request) => {
    try {
      await expectInService(service);
    } catch (error) {
      // An outage is the steps' to tell: they show the form again where there is one.
      if (error instanceof InMaintenance) {
        return { ...renderLoginFailure(service, error, undefined, undefined), isKnown: true };
      }
    }
    return steps(service, request);
  };
}

/** Answers a login request; never rejects. */
export const answerLoginRequest: LoginSteps<WireRequest> = loginAnswering(serveLoginRequest);

async function serveLoginRequest(service: Service, request: WireRequest): Promise<LoginOutcome> {
  let address: ReturnAddress | undefined;
  let language: string | undefined;
  try {
    const { endpoint, languages } = service.programme.login;
    const reading = endpoint.read(request);
    language = languages.choose(spacedLanguages(reading.inputs.get('ui_locales') ?? ''));
    const forced = forcedLogin(service, request, language);
    if (forced !== undefined && !(forced instanceof LoginRefusal)) return forced;
    const id = endpoint.clientId(reading);
    request.record.claimedClient = id;
    const client = await findClient(service, id);
    request.record.client = client.id;
    endpoint.checkProgramme(reading);
    const redirectUri = endpoint.redirectUri(reading, client);
    // From here on client and redirect URI are known good: failures go there (G-5, P-12).
    address = { client, redirectUri, state: endpoint.state(reading) };
    if (forced !== undefined) throw forced;
    endpoint.checkRequest(reading, client);
    checkScope(service, reading);
    if (!client.roles.includes('member')) throw new LoginRefusal('access_denied');
    return begin(service, reading, address, language);
  } catch (error) {
    return renderLoginFailure(service, error, address, language);
  }
}

/** G-6: unknown and disabled clients get the same page. */
async function findClient(service: Service, id: string): Promise<Client> {
  const { programme, store } = service;
  const known = programme.clients.isIdentifier(id)
    ? await store.find('client', programme.id, id as ClientId)
    : undefined;
  if (known?.status !== 'active') throw new LoginRefusal('unknown_client');
  return known;
}

function checkScope(service: Service, { inputs }: LoginReading): void {
  try {
    service.programme.scope.check(inputs.get('scope'));
  } catch (error) {
    if (error instanceof Refusal) throw new LoginRefusal('invalid_scope', error.facts);
    throw error;
  }
}

function begin(
  service: Service,
  { inputs }: LoginReading,
  { client, redirectUri, state }: ReturnAddress,
  language: string | undefined,
): LoginOutcome {
  const { programme, clock } = service;
  const { redirectStatus, binds } = programme.login.endpoint;
  const transaction = beginTransaction({
    client: client.id,
    clientName: client.name,
    redirectUri,
    state,
    scope: inputs.get('scope'),
    codeChallenge: inputs.get('code_challenge'),
    brand: inputs.get('brand'),
    language,
    expiresAt: after(clock.now(), programme.login.lifetime),
  });
  return binds === 'request'
    ? beginInBrowser(service, transaction, redirectStatus)
    : toLoginPage(service, transaction, redirectStatus);
}

/** On to the login page; its address carries the transaction. */
export function toLoginPage(
  { keyring, programme }: Service,
  transaction: LoginTransaction,
  status: 302 | 303,
): Extract<LoginOutcome, { readonly kind: 'begin' }> {
  return { kind: 'begin', status, sealed: sealTransaction(keyring, programme.id, transaction) };
}

/** On to the login page, in a login that is bound to the browser of this request. */
export function beginInBrowser(
  service: Service,
  unbound: LoginTransaction,
  status: 302 | 303,
): LoginOutcome {
  const { transaction, cookie: value } = bindTransaction(unbound);
  const maxAge = Math.ceil((transaction.expiresAt - service.clock.now()) / 1000);
  const cookie = { name: cookieName(transaction), value, maxAge };
  return { ...toLoginPage(service, transaction, status), cookie };
}

/** A failure in the dialect's form: a page, or a redirect where there is a trusted address. */
export function renderLoginFailure(
  service: Service,
  error: unknown,
  address: ReturnAddress | undefined,
  language: string | undefined,
): LoginOutcome {
  const recorded = reportLoginFailure(service, error);
  const { reason } = recorded;
  const { parameter, retryAfter } = recorded.facts;
  const { login } = service.programme;
  const failure = login.failure(reason);
  if ('page' in failure) {
    const { status } = failure.page;
    return { kind: 'page', status, page: reason, language, retryAfter, failure: recorded };
  }
  if (address === undefined) {
    const status = reason === 'temporarily_unavailable' ? 503 : 500;
    const page = 'difficulties';
    return { kind: 'page', status, page, language, retryAfter, failure: recorded };
  }
  const location = login.redirect.failure(address, reason, failure, parameter);
  return { kind: 'redirect', status: 302, location, failure: recorded };
}

function reportLoginFailure(
  service: Service,
  error: unknown,
): RecordedFailure & { readonly reason: LoginFailureReason } {
  if (error instanceof LoginRefusal) return { reason: error.reason, facts: error.facts };
  const { facts } = reportFailure(service, error);
  const isOutage = error instanceof Unavailable;
  return isOutage
    ? { reason: 'temporarily_unavailable', facts }
    : { reason: 'server_error', facts: {} };
}
