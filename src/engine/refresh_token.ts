// Owns the refresh_token grant (RFC 6749 6): rotation where it is on, retries and the answer to reuse.

import { earlier, type Instant, milliseconds } from '../lib/clock.ts';
import { present } from '../lib/present.ts';
import type { Cause } from '../oauth/cause.ts';
import type { Client } from '../oauth/client.ts';
import { Refusal } from '../oauth/failure.ts';
import type { LoginState } from '../oauth/grant.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import {
  judgeRefresh,
  type PresentedRefresh,
  type RefreshVerdict,
  retryUntil,
} from '../store/judgement.ts';
import type { Keeping } from '../store/keeping.ts';
import { openRefreshEnvelope } from '../token/refresh_envelope.ts';
import {
  loginDigest,
  newNonce,
  parseRefreshText,
  refreshDigest,
  type RefreshText,
  successorOf,
} from '../token/sealed/refresh_text.ts';
import { expectAnswerable, nextAnswer } from './answer.ts';
import type { GrantRequest } from './authorization.ts';
import { deadRefresh, malformedRefresh, reusedRefresh } from './causes/refresh.ts';
import { makeLoginTokens, scopeOf } from './issue.ts';
import { expectActiveMember, makeLaterToken } from './later_token.ts';
import type { Service } from './service.ts';
import { ordinaryText } from './token_forms.ts';

/** The refresh token in what was sent; undefined for every text that no answer can have held. */
export async function readRefreshToken(
  service: Service,
  sent: string,
  now: Instant,
): Promise<RefreshText | undefined> {
  const text = openRefreshEnvelope(await ordinaryText(service, 'refresh_token', sent, now));
  return text === undefined ? undefined : parseRefreshText(text);
}

/** What a refresh token is judged by. */
export function presentedBy(
  { programme, tokenKeys }: Service,
  client: Client,
  token: RefreshText,
): PresentedRefresh {
  return {
    client: client.id,
    generation: token.generation,
    loginDigest: loginDigest(programme.id, token),
    refreshDigest: refreshDigest(programme.id, token.text),
    successorDigest: ({ keyNumber, nonce }) => {
      const next = tokenKeys.next(keyNumber);
      const text = next && successorOf(next, nonce, token);
      return text && refreshDigest(programme.id, text);
    },
  };
}

/** After a lost compare-and-set the next round finds a later generation, and so a retry or reuse. */
const mostRounds = 5;

/**
 * A refresh token must belong to this client and be live; its member must still be active. It
 * rotates at every use, unless the programme has it stay. Inside the grace window a retry gets the
 * same refresh token again; later reuse revokes the login (G-19, G-23, RFC 9700 4.14.2).
 */
export async function grantByRefreshToken(request: GrantRequest): Promise<TokenSet> {
  const { service, client, inputs, now, record } = request;
  const { programme, store } = service;
  const sent = inputs.get('refresh_token') ?? '';
  const token = await readRefreshToken(service, sent, now);
  if (token === undefined) throw refused(malformedRefresh(programme, sent));
  const presented = presentedBy(service, client, token);
  for (let round = 0; round < mostRounds; round += 1) {
    const login = await store.findLogin(programme.id, token.place);
    // Another request, which ran beside this one, has replaced the answer first. Its retry window counts
    // as open, even where it ended before this request's instant.
    const at = round === 0 || login === undefined ? now : earlier(now, retryUntil(login));
    const verdict = await judge(store, login, presented, at);
    if (verdict === 'ahead') reportAhead(service, token);
    if (login === undefined || verdict === 'unknown' || verdict === 'ahead') {
      throw refused(deadRefresh(login, presented, at));
    }
    record.login = token.place;
    if (verdict === 'reuse') {
      await store.revokeLogin(programme.id, token.place, now);
      record.ended = 'reused_refresh_token';
      throw refused(reusedRefresh(login, presented, now));
    }
    const scope = programme.scope.narrow(request.scope, login.scope);
    await expectActiveMember(request, login, 'invalid_refresh_token');
    const use = programme.refresh.rotation === 'on' ? rotate : stay;
    const answer = verdict === 'retry' ? tellAgain : use;
    record.isRetry = verdict === 'retry';
    const tokens = await answer(request, token, login, scope);
    if (tokens !== undefined) return tokens;
  }
  throw new Error('a refresh token was rotated by other requests again and again');
}

/** Reuse is seldom: only then the outages are asked for, that what looks like it may be a retry. */
async function judge(
  store: Keeping,
  ...question: Parameters<typeof judgeRefresh>
): Promise<RefreshVerdict> {
  const verdict = judgeRefresh(...question);
  if (verdict !== 'reuse') return verdict;
  const [login, presented, now] = question;
  return judgeRefresh(login, presented, now, (await store.time()).outages);
}

type Answering = (
  request: GrantRequest,
  token: RefreshText,
  login: LoginState,
  scope: string | undefined,
) => Promise<TokenSet | undefined>;

const grant = 'refresh_token';

/** A later retry gets an access token of its own: the first one may be near its end. */
const sameAnswerFor = 60_000;

/** The answer that the login's row holds; the scope is that of the first request. */
const tellAgain: Answering = async (request, token, login) => {
  const { service, client, now } = request;
  const next = service.tokenKeys.next(login.keyNumber);
  const text = next && successorOf(next, login.nonce, token);
  const refresh = text === undefined ? undefined : { text };
  if (now - login.answeredAt <= sameAnswerFor) {
    return makeLoginTokens(service, client, grant, login, refresh);
  }
  const scope = scopeOf(login.scope, login.ownScope);
  return makeLaterToken(request, login, { grant, scope, ...present({ refresh }) });
};

/** An access token; the refresh token is told as it came (RFC 6749 6 lets a server keep it). */
const stay: Answering = async (request, { text }, login, scope) => {
  const refresh = present({ text, sent: request.inputs.get('refresh_token') });
  return makeLaterToken(request, login, { grant, scope, refresh, isUse: true });
};

/** The next answer; undefined where another request has changed the login meanwhile. */
const rotate: Answering = async ({ service, client, now, record }, token, login, scope) => {
  const { store, tokenKeys } = service;
  expectAnswerable(service, grant, login.member);
  const [key, nonce] = [tokenKeys.signer(now), newNonce()];
  const refreshText = successorOf(key.next, nonce, token);
  const next = nextAnswer(service, { grant, login, scope, now, key, nonce, refreshText });
  const { ownScope: _last, ...facts } = login;
  const refresh = refreshText === undefined ? undefined : { text: refreshText };
  const tokens = await makeLoginTokens(service, client, grant, { ...facts, ...next }, refresh);
  const isMine = await record.timed('store advance_login', () =>
    store.advanceLogin(login.programme, login.place, login, next),
  );
  return isMine ? tokens : undefined;
};

function refused(cause: Cause): Refusal {
  return new Refusal('invalid_refresh_token', { cause });
}

const aheadLimit = { limit: 1, window: milliseconds(60_000) };

/** A store that was put back knows less than its tokens do; a client can make such a token up, too. */
function reportAhead({ log, programme, aheadReports, clock }: Service, token: RefreshText): void {
  if (!aheadReports.count(programme.id, aheadLimit, clock.now()).allowed) return;
  log.error('refresh_token_ahead', {
    programme: programme.id,
    detail: `a refresh token of generation ${token.generation} is ahead of its login: was the store put back to an earlier state? (store restore ends all logins)`,
  });
}
