// Owns the answers of logins as their rows have them: the first one of a new login, and the next one.

import {
  after,
  earlier,
  type Instant,
  instant,
  type Milliseconds,
  milliseconds,
} from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import { Refusal } from '../oauth/failure.ts';
import type { Answer, GrantType, Login } from '../oauth/grant.ts';
import type { Member } from '../oauth/member.ts';
import { newPlace } from '../oauth/place.ts';
import { grantFailures } from '../oauth/reasons.ts';
import { subjectValues } from '../programme/answers/identity.ts';
import type { Programme } from '../programme/programme.ts';
import type { NewLogin } from '../store/grants.ts';
import {
  firstRefreshText,
  loginDigest,
  newNonce,
  refreshDigest,
} from '../token/sealed/refresh_text.ts';
import type { SealingKey } from '../token/sealed/sealing_key.ts';
import type { GrantRequest, LoginBeginning } from './authorization.ts';
import { clientLikeSubject } from './failure.ts';
import type { Service } from './service.ts';

/** A login with its first answer. */
export function newLogin(
  { service, client, grant, now, era, record, lifetime: accessSpan }: GrantRequest,
  {
    member,
    asked,
    scope: requested,
    resource,
    loggedInAt,
    hasChallenge = false,
    place = newPlace(now),
  }: LoginBeginning,
): { readonly login: NewLogin; readonly refreshText: string | undefined } {
  const { programme, tokenKeys } = service;
  const { id, refresh, scope: rules } = programme;
  // The login's own scope: no refresh can widen it (HOSTILE 32).
  const granted = asked ?? rules.unasked;
  const scope = rules.narrow(requested, granted);
  expectAnswerable(service, grant, member);
  const first = firstRefreshText(place);
  record.login = first.place;
  const refreshText = programme.refreshing.has(grant) ? first.text : undefined;
  const login: Login = {
    programme: id,
    place: first.place,
    client: client.id,
    ...(member === undefined ? {} : { member }),
    ...(granted === undefined ? {} : { scope: granted }),
    ...(resource === undefined ? {} : { resource }),
    ...(refresh.rotation === 'with_pkce' && !hasChallenge ? { keepsRefresh: true } : {}),
    endsAt: after(loginStart(loggedInAt, now), refresh.longest),
    loginDigest: loginDigest(id, first),
  };
  const key = tokenKeys.signer(now);
  const stays = !isRotated(programme, login, client);
  const told = { login, scope, accessSpan, stays, now, key, refreshText, nonce: newNonce() };
  return { login: { ...login, ...nextAnswer(service, told), era }, refreshText };
}

/**
 * The time from which the longest login is counted. Answers tell lifetimes in whole seconds: the part of
 * a second that a code took would cost a whole one wherever `lifetime` equals `longest`.
 */
function loginStart(loggedInAt: Instant, now: Instant): Instant {
  return instant(loggedInAt + ((now - loggedInAt) % 1000));
}

/** What the next answer of a login consists of. */
export interface Telling {
  readonly login: Login & Partial<Answer>;
  readonly scope: string | undefined;
  readonly accessSpan: Milliseconds;
  /** Its refresh token gives further answers, and is not replaced. */
  readonly stays?: boolean;
  readonly now: Instant;
  readonly key: SealingKey;
  readonly nonce: string;
  readonly refreshText: string | undefined;
}

/** The answer after the login's last one, or its first. */
export function nextAnswer(
  { programme, tokenIds }: Service,
  { login, scope, accessSpan, stays = false, now, key, nonce, refreshText }: Telling,
): Answer {
  const { access, refresh } = programme;
  const none = milliseconds(0);
  const refreshSpan = refreshText === undefined ? none : refresh.lifetime;
  const retrySpan = refreshText === undefined ? none : refresh.grace;
  const besideSpan = access.beside.lifetime;
  // A refresh token that stays gives access tokens until its end, and no row is written for them.
  const isLater = stays && refreshText !== undefined;
  const laterSpan = isLater ? Math.max(access.lifetimes.refresh_token, besideSpan) : 0;
  const accessNeed = Math.max(accessSpan, besideSpan);
  const longest = Math.max(accessNeed, refreshSpan + laterSpan, retrySpan) as Milliseconds;
  const isOver = earlier(after(now, longest), login.endsAt);
  return {
    generation: (login.generation ?? 0) + 1,
    refreshDigest: refreshText === undefined ? '' : refreshDigest(programme.id, refreshText),
    nonce,
    keyNumber: key.number,
    answeredAt: now,
    accessSpan,
    refreshSpan,
    retrySpan,
    tokenNumber: tokenIds.draw(now),
    ...ownScope(scope, login),
    forgetAt: Math.max(login.forgetAt ?? 0, isOver) as Instant,
  };
}

/** Whether a use of the login's refresh token replaces it: always of a public client (RFC 9700 4.14.2). */
export function isRotated(
  { refresh: { rotation } }: Programme,
  { keepsRefresh }: Pick<Login, 'keepsRefresh'>,
  { isPublic }: Pick<Client, 'isPublic'>,
): boolean {
  if (rotation === 'with_pkce') return isPublic === true || keepsRefresh !== true;
  return rotation === 'on';
}

/** The scope of an answer as its row has it. */
export function ownScope(
  scope: string | undefined,
  { scope: granted }: Pick<Login, 'scope'>,
): Pick<Answer, 'ownScope'> {
  return scope === granted ? {} : { ownScope: scope ?? '' };
}

/**
 * Refuses, before anything is spent, a member whose subject could be a client's (HOSTILE 72: a code or
 * login may be older than the programme's file), or who lacks a value of `sub`, or whose membership number
 * does not have the form that the answer needs (P-15).
 */
export function expectAnswerable(
  { programme }: Service,
  grant: GrantType,
  member: Member | undefined,
): void {
  if (member === undefined) return;
  if (programme.isClientSubject(member.subject)) throw clientLikeSubject(programme);
  const { memberNumber, access } = programme;
  if (access.subject !== undefined && access.formats[grant] === 'jwt') {
    const sub = access.subject.write(subjectValues(member));
    if (sub === undefined) {
      const expected = `a member with ${access.subject.values.join(' and ')}`;
      const came = 'a member without';
      const cause = { rule: ['tokens', 'access', 'subject'], expected, came };
      throw new Refusal(grantFailures[grant] ?? 'server_error', { cause });
    }
    if (programme.isClientSubject(sub)) throw clientLikeSubject(programme);
  }
  if (!memberNumber.neededBy.has(grant) || memberNumber.fits(member.membershipNumber)) return;
  const expected = `a membership number of ${memberNumber.form}`;
  const came = 'a member without such a number';
  const cause = { rule: ['members', 'membership_number'], expected, came };
  throw new Refusal(grantFailures[grant] ?? 'server_error', { cause });
}
