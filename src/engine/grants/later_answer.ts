// Owns access tokens that a login gets beside its last answer: its refresh token stays what it is.

import {
  after,
  earlier,
  instant,
  type Instant,
  later,
  type Milliseconds,
  milliseconds,
} from '../../lib/clock.ts';
import { Refusal } from '../../oauth/failure.ts';
import type { Answer, LoginState } from '../../oauth/grant.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import { answerIn, refreshEnd } from '../../store/judgement.ts';
import { newNonce } from '../../token/sealed/refresh_text.ts';
import { expectAnswerable, ownScope } from '../answer.ts';
import type { GrantRequest, NextAnswer } from '../authorization.ts';
import { inactiveMember } from '../causes/refresh.ts';
import type { Service } from '../service.ts';
import type { RefreshTelling } from '../token_forms.ts';

export interface Later {
  readonly scope: string | undefined;
  /** The refresh token of the login, where the answer tells it. */
  readonly refresh?: RefreshTelling | undefined;
  /** The login's refresh token was used, and stays: its lifetime begins anew. */
  readonly isUse?: boolean;
}

/**
 * An answer with a new access token of a login. The login's row is written only where it would be forgotten
 * too early, or where a use prolongs its refresh token.
 *
 * Two tokens of one millisecond and scope are one sealed token.
 */
export function laterAnswer(
  { service, grant, now, lifetime: accessSpan }: GrantRequest,
  login: LoginState,
  { scope, refresh, isUse = false }: Later,
): NextAnswer {
  const { tokenKeys, tokenIds, programme } = service;
  expectAnswerable(service, grant, login.member);
  const longest = milliseconds(Math.max(accessSpan, programme.access.beside.lifetime));
  const next = isUse
    ? usedAt(service, login, longest, now)
    : neededUntil(login, after(now, longest));
  const { ownScope: _last, ...facts } = login;
  const told = {
    ...facts,
    ...ownScope(scope, login),
    nonce: newNonce(),
    keyNumber: tokenKeys.signer(now).number,
    answeredAt: now,
    accessSpan,
    refreshSpan: milliseconds(Math.max(0, refreshEnd({ ...login, ...next }) - now)),
    tokenNumber: tokenIds.draw(now),
  };
  return { kind: 'answer', login, told, refresh, next };
}

/** Ends a login whose member may not log in any more, and refuses the request. */
export async function expectActiveMember(
  { service, now, record }: GrantRequest,
  { member, place }: LoginState,
  reason: FailureReason,
): Promise<void> {
  const { store, directory, programme } = service;
  if (member === undefined) return;
  const active = directory.isActive(member.subject, record);
  if (active instanceof Promise ? await active : active) return;
  await store.revoke(programme.id, { place }, now);
  record.ended = 'inactive_member';
  throw new Refusal(reason, { cause: inactiveMember });
}

/** A use that prolongs a refresh token by less is not written: simultaneous ones need one write. */
const shortestGain = 1000;

/** The row after a use of its refresh token; undefined where it can stay as it is. */
function usedAt(
  { programme: { refresh } }: Service,
  login: LoginState,
  accessSpan: Milliseconds,
  now: Instant,
): Answer | undefined {
  // A client that uses a token has received it: its predecessor's retries have ended (HOSTILE 29).
  const retrySpan = milliseconds(0);
  const used = { ...login, answeredAt: now, refreshSpan: refresh.lifetime, retrySpan };
  const isGain = refreshEnd(used) - refreshEnd(login) >= shortestGain;
  const next = isGain ? used : login;
  // All uses that are still possible: most write nothing.
  return (
    neededUntil(next, after(refreshEnd(next), accessSpan)) ?? (isGain ? answerIn(used) : undefined)
  );
}

/** Rounding of `forgetAt`: simultaneous requests need one write. */
const grain = 60_000;

/** The row that is kept for a token until `end`; undefined where it is kept as long already. */
function neededUntil(login: LoginState, end: Instant): Answer | undefined {
  if (earlier(end, login.endsAt) <= login.forgetAt) return undefined;
  const rounded = instant(Math.ceil(end / grain) * grain);
  const forgetAt = later(login.forgetAt, earlier(rounded, login.endsAt));
  return { ...answerIn(login), forgetAt };
}
