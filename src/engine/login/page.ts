// Owns the login page's two requests: showing the form, and an attempt to log in.

import { after, type Instant } from '../../lib/clock.ts';
import { digest } from '../../lib/digest.ts';
import { present } from '../../lib/present.ts';
import type { Cause } from '../../oauth/cause.ts';
import type { Client } from '../../oauth/client.ts';
import { LoginRefusal, Unavailable } from '../../oauth/failure.ts';
import { type AuthorizationCode, codeKey } from '../../oauth/grant.ts';
import type { Member } from '../../oauth/member.ts';
import type { RequestRecord } from '../../oauth/request_record.ts';
import { liveSecrets } from '../../oauth/secret_rotation.ts';
import type { RequestHead } from '../../oauth/wire_request.ts';
import { openSigningSecret } from '../../token/signing_secrets.ts';
import { disabledClient } from '../causes/client.ts';
import { blankField } from '../causes/member.ts';
import { withDrawn } from '../drawn_values.ts';
import { reportFailure } from '../failure.ts';
import { expectAudit } from '../maintenance.ts';
import {
  authenticateMember,
  blankFields,
  type TypedCredentials,
} from '../member_authentication.ts';
import type { Service } from '../service.ts';
import { findOrBindTransaction, findTransaction, type LoginPageRequest } from './browser.ts';
import { deviceCookieName } from './known_device.ts';
import { endOn, type LoginMessage, type LoginOutcome } from './outcome.ts';
import { loginAnswering, notForMembers, renderLoginFailure } from './request.ts';
import {
  type BoundTransaction,
  cookieName,
  finishedCookie,
  formToken,
  isFinished,
  isFormToken,
  sealTransaction,
} from './transaction.ts';

export interface LoginFormRequest extends LoginPageRequest, TypedCredentials {
  readonly formToken: string | undefined;
  /** Asks for the form in another language, and for no attempt. */
  readonly language: string | undefined;
  /** Where the browser is. */
  readonly address: string;
  readonly head: RequestHead;
  /** Aborts when the browser hangs up. */
  readonly hangUp: AbortSignal;
}

/** Shows the form to the browser of the login; never rejects. */
export const showLogin: typeof show = loginAnswering(show);

async function show(service: Service, request: LoginPageRequest): Promise<LoginOutcome> {
  request.record.step = 'transaction';
  const found = findOrBindTransaction(service, request);
  if ('kind' in found) return found;
  // HOSTILE 93: the form would be a dead end, or a second code for a partner that waits for none.
  if (isFinished(request.cookie(cookieName(found)))) return endOn('finished', found);
  return showForm(service, found, request, { messages: [], username: '' });
}

/**
 * Authenticates the member and sends the browser back to the partner; rejects with `HungUp` alone,
 * where the browser has hung up.
 */
export const attemptLogin: typeof attempt = loginAnswering(attempt);

async function attempt(service: Service, request: LoginFormRequest): Promise<LoginOutcome> {
  const { record } = request;
  record.step = 'transaction';
  const found = findTransaction(service, request);
  if ('kind' in found) return found;
  record.step = 'form';
  // HOSTILE 13: a form that this browser did not get from us is no attempt.
  if (!isFormToken(service.keyring, found, request.formToken)) {
    return endOn('forged', found);
  }
  const { clock, programme, store } = service;
  const { username, password, address, hangUp } = request;
  const asked = programme.login.languages.offered.find((tag) => tag === request.language);
  if (asked !== undefined) return showInLanguage(service, found, asked, username);
  const messages = blankFields(request).map((field) => `${field}_blank` as const);
  if (messages.length > 0) {
    return showForm(service, found, request, { messages, username, cause: blankField });
  }
  let client: Client | undefined;
  try {
    record.step = 'service';
    expectAudit(service);
    record.step = 'client';
    const begun = { issuedAt: clock.now(), era: await store.era() };
    client = await store.find('client', programme.id, found.client);
    const standing = requireStanding(service, client, found);
    record.step = 'headers';
    programme.login.endpoint.checkAddress(request.head);
    record.step = 'member';
    const device = request.cookie(deviceCookieName(programme.id));
    const told = await authenticateMember(service, {
      username,
      password,
      client: standing.id,
      address,
      hangUp,
      device,
      record: request.record,
    });
    if (told.outcome === 'match') {
      record.member = told.member.subject;
      record.step = 'code';
      const cookie = request.cookie(cookieName(found)) ?? '';
      const member = withDrawn(programme.login, told.member);
      const matched = { client: standing, cookie, ...told, member };
      return await finish(service, found, matched, begun, record);
    }
    if (told.outcome === 'too_many_failures') return tooManyFailures(found, told.retryAfter);
    const { cause } = told;
    return showForm(service, found, request, { messages: ['not_recognised'], username, cause });
  } catch (error) {
    if (error instanceof LoginRefusal) {
      const { redirectUri, state, mode, language } = found;
      const back = client && { client, redirectUri, state, mode };
      return renderLoginFailure(service, error, { record, address: back, language });
    }
    const { retryAfter, cause } = reportFailure(service, error, record).facts;
    const status = error instanceof Unavailable ? 503 : 500;
    const shown = { messages: ['difficulties'], username, status, retryAfter, cause } as const;
    return showForm(service, found, request, shown);
  }
}

function showForm(
  service: Service,
  transaction: BoundTransaction,
  { sealed }: Pick<LoginPageRequest, 'sealed'>,
  shown: {
    readonly messages: readonly LoginMessage[];
    readonly username: string;
    readonly status?: number;
    readonly retryAfter?: number | undefined;
    readonly cause?: Cause | undefined;
  },
): LoginOutcome {
  const form = {
    transaction,
    sealed: sealed ?? '',
    formToken: formToken(service.keyring, transaction),
    messages: shown.messages,
    username: shown.username,
  };
  const { status = 200, retryAfter, cause } = shown;
  return { kind: 'form', status, form, retryAfter, cause };
}

/** The form in another language, which the transaction keeps for the rest of the login. */
function showInLanguage(
  service: Service,
  found: BoundTransaction,
  language: string,
  username: string,
): LoginOutcome {
  const transaction = { ...found, language };
  const sealed = sealTransaction(service.keyring, service.programme.id, transaction);
  return showForm(service, transaction, { sealed }, { messages: [], username });
}

/** No attempt of an address that had too many failures is looked at (P-13). */
function tooManyFailures(transaction: BoundTransaction, retryAfter: number): LoginOutcome {
  return endOn('too_many_attempts', transaction, retryAfter / 1000);
}

/** Since the login began the client may have been disabled, or lost its role or redirect URI. */
function requireStanding(
  { programme }: Service,
  client: Client | undefined,
  transaction: BoundTransaction,
): Client {
  if (client?.status !== 'active') {
    throw new LoginRefusal('unknown_client', { cause: disabledClient });
  }
  programme.login.endpoint.expectRegistered(transaction.redirectUri, client);
  if (!client.roles.includes('member')) throw notForMembers(client);
  return client;
}

/** The older one while it is good: the partner installs the newer meanwhile. */
function signingSecretOf({ keyring }: Service, client: Client, now: Instant): string | undefined {
  const [oldest] = liveSecrets(client.signingSecrets ?? [], now);
  if (oldest === undefined) return undefined;
  return openSigningSecret(keyring, client, oldest);
}

interface MatchedMember {
  readonly client: Client;
  readonly member: Member;
  /** The login's cookie as it came. */
  readonly cookie: string;
  readonly device?: string | undefined;
}

/** Issues the code and redirects to the partner; a login whose code was spent is over (HOSTILE 15). */
async function finish(
  service: Service,
  transaction: BoundTransaction,
  { client, member, cookie, device }: MatchedMember,
  begun: Pick<AuthorizationCode, 'issuedAt' | 'era'>,
  record: RequestRecord,
): Promise<LoginOutcome> {
  const { programme, store, clock } = service;
  const now = clock.now();
  const code = programme.code.generate();
  const expiresAt = after(now, programme.code.lifetime);
  const scope = programme.scope.ofLogin(transaction.scope, member.level);
  const facts = {
    programme: programme.id,
    key: codeKey(code),
    transaction: transaction.id,
    client: transaction.client,
    redirectUri: digest(transaction.redirectUri),
    member,
    ...present({
      scope,
      resource: transaction.resource,
      codeChallenge: transaction.codeChallenge,
      nonce: transaction.nonce,
      repeatsRedirectUri: transaction.repeatsRedirectUri,
    }),
    // When the attempt was sent: the browser waits for the answer to the later of two attempts.
    ...begun,
    expiresAt,
    forgetAt: expiresAt > transaction.expiresAt ? expiresAt : transaction.expiresAt,
  };
  const issued = await record.timed('store issue_code', () => store.issueCode(facts));
  if (issued !== 'issued') return endOn('finished', transaction);
  const { redirectUri, state, mode, language } = transaction;
  const { redirect } = programme.login;
  const signingSecret = redirect.isSigned ? signingSecretOf(service, client, now) : undefined;
  const to = { client, redirectUri, state, mode, signingSecret };
  const way = redirect.code(to, code, member);
  const finished = {
    name: cookieName(transaction),
    value: finishedCookie(cookie),
    maxAge: Math.ceil(programme.code.lifetime / 1000),
  };
  return { kind: 'return', way, partner: client.name, language, device, finished };
}
