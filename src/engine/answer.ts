// Owns the answers of logins: beginning a login with its first one, and the one that follows another.

import {
  after,
  earlier,
  type Instant,
  instant,
  type Milliseconds,
  milliseconds,
} from '../lib/clock.ts';
import { grantFailures, Refusal } from '../oauth/failure.ts';
import type { Answer, GrantType, Login } from '../oauth/grant.ts';
import type { Member } from '../oauth/member.ts';
import { newPlace } from '../oauth/place.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import { type NewLogin, PlaceTaken } from '../store/grants.ts';
import {
  firstRefreshText,
  loginDigest,
  newNonce,
  refreshDigest,
} from '../token/sealed/refresh_text.ts';
import type { SealingKey } from '../token/sealed/sealing_key.ts';
import type { GrantRequest } from './authorization.ts';
import { clientLikeSubject } from './failure.ts';
import { type LoggedIn, withIdentity } from './identity/identity_token.ts';
import { makeLoginTokens } from './issue.ts';
import type { Service } from './service.ts';

/** What a login rests on. */
export interface Beginning {
  readonly grant: GrantType;
  /** Absent where a client gets its own tokens. */
  readonly member: Member | undefined;
  /** The scope that was asked for, or is the member's level; absent where none was. */
  readonly asked: string | undefined;
  /** The login ends when the dialect's longest login since then does. */
  readonly loggedInAt: Instant;
  /** Of a login request, whose answer may hold an identity token. */
  readonly loggedIn?: LoggedIn;
}

/** Another process draws the same place about once in a thousand logins of one millisecond. */
const mostPlaces = 5;

/**
 * Begins a login and makes its first tokens; `persist` writes the login together with what it is spent
 * for.
 */
export async function beginLogin(
  request: GrantRequest,
  beginning: Beginning,
  persist: (login: NewLogin) => Promise<void>,
): Promise<TokenSet> {
  const { service, client } = request;
  const scopes = grantedScopes(request, beginning);
  expectAnswerable(service, beginning.grant, beginning.member);
  for (let tries = 1; ; tries += 1) {
    const { login, refreshText } = newLogin(request, beginning, scopes);
    const telling = refreshText === undefined ? undefined : { text: refreshText };
    const made = await makeLoginTokens(service, client, beginning.grant, login, telling);
    const tokens = await withIdentity(service, client, made, login, beginning.loggedIn);
    try {
      await persist(login);
      return tokens;
    } catch (error) {
      if (!(error instanceof PlaceTaken) || tries === mostPlaces) throw error;
    }
  }
}

interface GrantedScopes {
  /** Of the login: no refresh can widen it (HOSTILE 32). */
  readonly granted: string | undefined;
  /** Of the first tokens. */
  readonly scope: string | undefined;
}

function grantedScopes(
  { service, scope: requested }: GrantRequest,
  { asked }: Beginning,
): GrantedScopes {
  const { scope } = service.programme;
  const granted = asked ?? scope.unasked;
  return { granted, scope: scope.narrow(requested, granted) };
}

function newLogin(
  { service, client, now, era, record }: GrantRequest,
  { grant, member, loggedInAt }: Beginning,
  { granted, scope }: GrantedScopes,
): { readonly login: NewLogin; readonly refreshText: string | undefined } {
  const { programme, tokenKeys } = service;
  const { id, refresh } = programme;
  const first = firstRefreshText(newPlace(now));
  record.login = first.place;
  const refreshText = programme.refreshing.has(grant) ? first.text : undefined;
  const login: Login = {
    programme: id,
    place: first.place,
    client: client.id,
    ...(member === undefined ? {} : { member }),
    ...(granted === undefined ? {} : { scope: granted }),
    endsAt: after(loginStart(loggedInAt, now), refresh.longest),
    loginDigest: loginDigest(id, first),
  };
  const key = tokenKeys.signer(now);
  const told = { grant, login, scope, now, key, refreshText, nonce: newNonce() };
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
  readonly grant: GrantType;
  readonly login: Login & Partial<Answer>;
  readonly scope: string | undefined;
  readonly now: Instant;
  readonly key: SealingKey;
  readonly nonce: string;
  readonly refreshText: string | undefined;
}

/** The answer after the login's last one, or its first. */
export function nextAnswer(
  { programme, tokenIds }: Service,
  { grant, login, scope, now, key, nonce, refreshText }: Telling,
): Answer {
  const { access, refresh } = programme;
  const none = milliseconds(0);
  const accessSpan = access.lifetimes[grant];
  const refreshSpan = refreshText === undefined ? none : refresh.lifetime;
  const retrySpan = refreshText === undefined ? none : refresh.grace;
  // A refresh token that stays gives access tokens until its end, and no row is written for them.
  const laterSpan =
    refresh.rotation === 'on' || refreshText === undefined ? 0 : access.lifetimes.refresh_token;
  const longest = Math.max(accessSpan, refreshSpan + laterSpan, retrySpan) as Milliseconds;
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

/** The scope of an answer as its row has it. */
export function ownScope(
  scope: string | undefined,
  { scope: granted }: Pick<Login, 'scope'>,
): Pick<Answer, 'ownScope'> {
  return scope === granted ? {} : { ownScope: scope ?? '' };
}

/**
 * Refuses, before anything is spent, a member whose subject could be a client's (HOSTILE 72: a code or
 * login may be older than the programme's file), or whose membership number does not have the form that
 * the answer needs (P-15).
 */
export function expectAnswerable(
  { programme }: Service,
  grant: GrantType,
  member: Member | undefined,
): void {
  if (member === undefined) return;
  if (programme.isClientSubject(member.subject)) throw clientLikeSubject(programme);
  const { memberNumber } = programme;
  if (!memberNumber.neededBy.has(grant) || memberNumber.fits(member.membershipNumber)) return;
  const expected = `a membership number of ${memberNumber.form}`;
  const came = 'a member without such a number';
  const cause = { rule: ['members', 'membership_number'], expected, came };
  throw new Refusal(grantFailures[grant] ?? 'server_error', { cause });
}
