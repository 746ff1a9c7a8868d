// Owns the refresh_token grant (RFC 6749 6): rotation where it is on, retries and the answer to reuse.

import { earlier, milliseconds } from '../../lib/clock.ts';
import type { Cause } from '../../oauth/cause.ts';
import { Refusal } from '../../oauth/failure.ts';
import { answered, type LoginState, scopeOf } from '../../oauth/grant.ts';
import { judgeRefresh, retryUntil } from '../../store/judgement.ts';
import { newNonce, type RefreshText, successorOf } from '../../token/sealed/refresh_text.ts';
import { expectAnswerable, isRotated, nextAnswer } from '../answer.ts';
import type { Authorization, GrantRequest } from '../authorization.ts';
import { deadRefresh, malformedRefresh, reusedRefresh } from '../causes/refresh.ts';
import { expectDrawn } from '../drawn_values.ts';
import { subjectOf } from '../presented/access_token.ts';
import { findRefresh, Presented } from '../presented/refresh_token.ts';
import { sameResource } from '../resource.ts';
import type { Service } from '../service.ts';
import { isOvertaken, type RefreshTelling } from '../token_forms.ts';
import { expectActiveMember, laterAnswer } from './later_answer.ts';

/**
 * A refresh token must belong to this client and be live; its member must still be active. It
 * rotates at every use, unless the programme has it stay. Inside the grace window a retry gets the
 * same refresh token again; later reuse revokes the login (G-19, G-23, RFC 9700 4.14.2).
 */
export async function authorizeByRefreshToken(
  request: GrantRequest,
  round: number,
): Promise<Authorization> {
  const { service, client, inputs, now, record } = request;
  const { programme, store } = service;
  const sent = inputs.get('refresh_token') ?? '';
  const known = round === 0 ? request.refresh : undefined;
  const found = known ?? (await findRefresh(service, sent, now));
  if (found === undefined) throw refused(malformedRefresh(programme, sent));
  const { token, login } = found;
  const presented = new Presented(service, client, found);
  // Another request, which ran beside this one, has replaced the answer first. Its retry window counts
  // as open, even where it ended before this request's instant.
  const at = round === 0 || login === undefined ? now : earlier(now, retryUntil(login));
  let verdict = judgeRefresh(login, presented, at);
  // Reuse is seldom: only then the outages are asked for, that what looks like it may be a retry.
  if (verdict === 'reuse') {
    verdict = judgeRefresh(login, presented, at, (await store.time()).outages);
  }
  if (verdict === 'ahead') reportAhead(service, token);
  if (login === undefined || verdict === 'unknown' || verdict === 'ahead') {
    throw refused(deadRefresh(login, presented, at));
  }
  record.login = token.place;
  if (verdict === 'reuse') {
    await store.revoke(programme.id, { place: token.place }, now);
    record.ended = 'reused_refresh_token';
    throw refused(reusedRefresh(login, presented, now));
  }
  expectDrawn(request, login.member, refused);
  const scope = programme.scope.narrow(request.scope, login.scope);
  sameResource(request, login.resource);
  await expectActiveMember(request, login, 'invalid_refresh_token');
  record.isRetry = verdict === 'retry';
  if (verdict === 'retry') return tellAgain(request, token, login);
  if (isRotated(programme, login, client)) return rotate(request, token, login, scope);
  // The refresh token is told as it came (RFC 6749 6 lets a server keep it).
  return laterAnswer(request, login, { scope, refresh: { text: token.text, sent }, isUse: true });
}

/** A later retry gets an access token of its own: the first one may be near its end. */
const sameAnswerFor = 60_000;

/** The answer that the login's row holds; the scope is that of the first request. */
async function tellAgain(
  request: GrantRequest,
  token: RefreshText,
  login: LoginState,
): Promise<Authorization> {
  const { service, now } = request;
  const key = service.tokenKeys.next(login.keyNumber);
  const again = tellingOf(key && successorOf(key, login.nonce, token));
  const refresh = again && { ...again, first: login };
  const isSame =
    now - login.answeredAt <= sameAnswerFor ||
    // A new token would end a later login's: this answer's token is told, which that one has ended.
    (await isOvertaken(service, subjectOf(service.programme, login), login, now));
  if (isSame) {
    return { kind: 'answer', login, told: login, refresh, next: undefined, isRetry: true };
  }
  return laterAnswer(request, login, { scope: scopeOf(login.scope, login.ownScope), refresh });
}

function rotate(
  { service, grant, now, lifetime: accessSpan }: GrantRequest,
  token: RefreshText,
  login: LoginState,
  scope: string | undefined,
): Authorization {
  expectAnswerable(service, grant, login.member);
  const [key, nonce] = [service.tokenKeys.signer(now), newNonce()];
  const refreshText = successorOf(key.next, nonce, token);
  const next = nextAnswer(service, { login, scope, accessSpan, now, key, nonce, refreshText });
  const refresh = tellingOf(refreshText);
  return { kind: 'answer', login, told: answered(login, next), refresh, next };
}

/** The last of all generations has no successor. */
function tellingOf(text: string | undefined): RefreshTelling | undefined {
  return text === undefined ? undefined : { text };
}

function refused(cause: Cause): Refusal {
  return new Refusal('invalid_refresh_token', { cause });
}

const aheadLimit = { limit: 1, window: milliseconds(60_000) };

/** A store that was put back knows less than its tokens do; a client can make such a token up, too. */
function reportAhead({ log, programme, reports, clock }: Service, token: RefreshText): void {
  if (!reports.count('ahead', aheadLimit, clock.now()).allowed) return;
  log.error('refresh_token_ahead', {
    programme: programme.id,
    detail: `a refresh token of generation ${token.generation} is ahead of its login: was the store put back to an earlier state? (store restore ends all logins)`,
  });
}
