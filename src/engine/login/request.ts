// Owns the login request: its ordered steps, from a partner's link to the login page.

import { after } from '../../lib/clock.ts';
import { spacedLanguages } from '../../lib/language.ts';
import { present } from '../../lib/present.ts';
import type { Client, ClientId } from '../../oauth/client.ts';
import { InMaintenance, LoginRefusal, Refusal, Unavailable } from '../../oauth/failure.ts';
import type { LoginFailureReason } from '../../oauth/login_reasons.ts';
import type { RecordedFailure, RequestRecord } from '../../oauth/request_record.ts';
import { namingScope } from '../../oauth/scope.ts';
import type { WireRequest } from '../../oauth/wire_request.ts';
import type { ReturnAddress } from '../../programme/answers/redirect_answer.ts';
import type { LoginReading } from '../../programme/login/request_checks.ts';
import { rolesOf } from '../../programme/requests/token_endpoint.ts';
import { disabledClient, unknownClient } from '../causes/client.ts';
import { pageCauses } from '../causes/login.ts';
import { keepClaim, reportFailure } from '../failure.ts';
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

/** Of an outcome's failure: the request's record, and where it may be told. */
interface Failing {
  readonly record: RequestRecord;
  readonly address?: ReturnAddress | undefined;
  readonly language?: string | undefined;
}

type LoginSteps<Request> = (service: Service, request: Request) => Promise<LoginOutcome>;

/**
 * The outcome of a login's steps, whose failure is noted in the record. In maintenance no step is taken, and
 * the page tells of difficulties.
 */
export function loginAnswering<Request extends Pick<Failing, 'record'>>(
  steps: LoginSteps<Request>,
): LoginSteps<Request> {
  return async (service, request) => {
    const { record } = request;
    record.step = 'service';
    try {
      await expectInService(service);
    } catch (error) {
      // An outage is the steps' to tell: they show the form again where there is one.
      if (error instanceof InMaintenance) {
        return renderLoginFailure(service, error, { record });
      }
    }
    const outcome = await steps(service, request);
    record.failure ??= shownFailure(outcome);
    return outcome;
  };
}

/** The failure that the page, or the form's first message, says all of. */
function shownFailure(outcome: LoginOutcome): RecordedFailure | undefined {
  if (outcome.kind === 'page') {
    const { page } = outcome;
    return { reason: page, facts: present({ cause: pageCauses[page] }) };
  }
  if (outcome.kind !== 'form') return undefined;
  const { cause, form } = outcome;
  const [reason] = form.messages;
  return reason && { reason, facts: present({ cause }) };
}

/** Answers a login request; never rejects. */
export const answerLoginRequest: LoginSteps<WireRequest> = loginAnswering(serveLoginRequest);

async function serveLoginRequest(service: Service, request: WireRequest): Promise<LoginOutcome> {
  const { record } = request;
  let address: ReturnAddress | undefined;
  let language: string | undefined;
  record.step = 'inputs';
  try {
    const { endpoint, languages } = service.programme.login;
    const reading = endpoint.read(request);
    language = languages.choose(spacedLanguages(reading.inputs.get('ui_locales') ?? ''));
    const forced = forcedLogin(service, request, language);
    if (forced !== undefined && !(forced instanceof LoginRefusal)) return forced;
    const id = endpoint.clientId(reading);
    record.claimedClient = id;
    record.step = 'client';
    const client = await findClient(service, id, record);
    record.client = client.id;
    record.step = 'programme';
    endpoint.checkProgramme(reading);
    record.step = 'redirect_uri';
    const redirectUri = endpoint.redirectUri(reading, client);
    // From here on client and redirect URI are known good: failures go there (G-5, P-12).
    address = { client, redirectUri, state: endpoint.state(reading), mode: endpoint.mode(reading) };
    if (forced !== undefined) throw forced;
    record.step = 'parameters';
    endpoint.checkRequest(reading, client);
    record.step = 'scope';
    const scope = checkScope(service, reading);
    record.step = 'role';
    if (!client.roles.includes('member')) throw notForMembers(client);
    return begin(service, reading, { ...address, scope }, language);
  } catch (error) {
    await keepClaim(service, record);
    return renderLoginFailure(service, error, { record, address, language });
  }
}

/** G-6: unknown and disabled clients get the same page. */
async function findClient(service: Service, id: string, record: RequestRecord): Promise<Client> {
  const { programme, store } = service;
  const known = programme.clients.isIdentifier(id)
    ? await store.find('client', programme.id, id as ClientId)
    : undefined;
  record.isClaimRegistered = known !== undefined;
  if (known?.status === 'active') return known;
  const cause = known === undefined ? unknownClient(programme, id) : disabledClient;
  throw new LoginRefusal('unknown_client', { cause });
}

/** G-10: only such a client may send members here. */
export function notForMembers(client: Client): LoginRefusal {
  const rule = ['grants', 'authorization_code', 'role'];
  const expected = 'a client with the role member';
  const cause = { rule, expected, came: `a client with ${rolesOf(client)}` };
  return new LoginRefusal('access_denied', { cause });
}

function checkScope(service: Service, { inputs }: LoginReading): string | undefined {
  try {
    return service.programme.scope.check(inputs.get('scope'));
  } catch (error) {
    const { scopeName } = service.programme.login.endpoint;
    const named = namingScope(error, scopeName);
    throw named instanceof Refusal ? new LoginRefusal('invalid_scope', named.facts) : named;
  }
}

function begin(
  service: Service,
  { inputs }: LoginReading,
  {
    client,
    redirectUri,
    state,
    mode,
    scope,
  }: ReturnAddress & { readonly scope: string | undefined },
  language: string | undefined,
): LoginOutcome {
  const { programme, clock } = service;
  const { redirectStatus, binds, repeatsRedirectUri } = programme.login.endpoint;
  const isRepeated = repeatsRedirectUri && inputs.has('redirect_uri');
  const transaction = beginTransaction({
    client: client.id,
    clientName: client.name,
    redirectUri,
    repeatsRedirectUri: isRepeated ? true : undefined,
    state,
    mode,
    scope,
    resource: inputs.get('resource'),
    codeChallenge: inputs.get('code_challenge'),
    nonce: programme.identity && inputs.get('nonce'),
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
  { record, address, language }: Failing,
): LoginOutcome {
  const recorded = reportLoginFailure(service, error, record);
  record.failure = recorded;
  const { reason } = recorded;
  const { parameter, retryAfter } = recorded.facts;
  const { login } = service.programme;
  const failure = login.failure(reason);
  if ('page' in failure) {
    const { status } = failure.page;
    return { kind: 'page', status, page: reason, language, retryAfter };
  }
  if (address === undefined) {
    const status = reason === 'temporarily_unavailable' ? 503 : 500;
    return { kind: 'page', status, page: 'difficulties', language, retryAfter };
  }
  const way = login.redirect.failure(address, reason, failure, parameter);
  return { kind: 'return', way, partner: address.client.name, language };
}

function reportLoginFailure(
  service: Service,
  error: unknown,
  record: RequestRecord,
): RecordedFailure & { readonly reason: LoginFailureReason } {
  if (error instanceof LoginRefusal) return { reason: error.reason, facts: error.facts };
  const { facts } = reportFailure(service, error, record);
  const isOutage = error instanceof Unavailable;
  return isOutage
    ? { reason: 'temporarily_unavailable', facts }
    : { reason: 'server_error', facts: present({ cause: facts.cause }) };
}
