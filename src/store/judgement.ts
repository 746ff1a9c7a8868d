// Owns the decisions that every backend must take alike; it reads and writes nothing itself.

import type { Instant } from '../lib/clock.ts';
import type { ClientId } from '../oauth/client.ts';
import type {
  AuthorizationCode,
  Era,
  FamilyId,
  RefreshTokenState,
  TokenFamily,
} from '../oauth/grant.ts';
import type { StandingQuestion } from './grants.ts';

/** A code as a backend keeps it. */
export interface CodeState {
  readonly code: AuthorizationCode;
  /** The family its first use paid for. */
  readonly spentFor?: FamilyId;
  /** All that its owner had been issued was revoked since. */
  readonly revoked: boolean;
}

/** The era in which a store begins: greater than any instant, and a JSON number to its last digit. */
export const firstEra = (2 ** 50) as Era;

/**
 * Whether something issued in `era` was revoked with all of its owner's tokens; `until` is the era
 * that the latest such revocation ended, if there was one.
 */
export function diedAtOnce(era: Era, until: Era | null | undefined): boolean {
  return until !== undefined && until !== null && era <= until;
}

/** A JWT without an era is older than every era: its instant is compared as an era. */
export function eraOf({ era, issuedAt }: Pick<StandingQuestion, 'era' | 'issuedAt'>): Era {
  return era ?? (issuedAt as number as Era);
}

/** Later than any era: a removed client's tokens are dead whenever they are written (C-5). */
export const forever = Number.MAX_SAFE_INTEGER as Era;

/** A time that a clock was set to, and the era that ended then. */
export interface AcceptedTime {
  readonly era: Era;
  readonly time: Instant;
}

/**
 * Whether a JWT without a row can be of this store. Refused are a JWT of an era after the store's own,
 * which a restore has undone, and a JWT issued by a clock that was ahead and was set back since.
 */
export function isOfThisLife(
  token: Pick<StandingQuestion, 'era' | 'issuedAt'>,
  current: Era,
  accepted: AcceptedTime | undefined,
): boolean {
  const era = eraOf(token);
  if (era > current) return false;
  return accepted === undefined || era > accepted.era || token.issuedAt <= accepted.time;
}

export type SpendJudgement =
  | { readonly verdict: 'spend' | 'unknown' }
  | { readonly verdict: 'replay'; readonly family: FamilyId };

/**
 * The outcome of spending a code (G-2, RFC 6749 4.1.2). A spent code is a replay long after it expired:
 * its family may still be valid.
 */
export function judgeSpend(
  state: CodeState | undefined,
  client: ClientId,
  now: Instant,
): SpendJudgement {
  if (state === undefined || state.code.client !== client) return { verdict: 'unknown' };
  if (now >= state.code.forgetAt) return { verdict: 'unknown' };
  if (state.spentFor !== undefined) return { verdict: 'replay', family: state.spentFor };
  return { verdict: state.revoked || now >= state.code.expiresAt ? 'unknown' : 'spend' };
}

/** The code at `now`, spent or not; undefined after `forgetAt`, or if it was revoked unspent. */
export function visibleCode(
  state: CodeState | undefined,
  now: Instant,
): AuthorizationCode | undefined {
  if (state === undefined || now >= state.code.forgetAt) return undefined;
  return state.revoked && state.spentFor === undefined ? undefined : state.code;
}

/**
 * When a spent code may be forgotten: not before the family it paid for has ended, so that a
 * replay is recognised as one, and not before it would have been forgotten unspent.
 */
export function forgetSpentAt(forgetAt: Instant, family: TokenFamily): Instant {
  return family.endsAt > forgetAt ? family.endsAt : forgetAt;
}

/**
 * A refresh token at `now`: undefined after it or its family has ended, and with its kept answer only
 * within the retry window.
 */
export function visibleRefreshToken(
  state: RefreshTokenState,
  now: Instant,
): RefreshTokenState | undefined {
  if (now >= state.expiresAt || now >= state.family.endsAt) return undefined;
  // Most tokens have no kept answer and need no copy.
  if (state.keptAnswer === undefined && state.retryUntil === undefined) return state;
  const { keptAnswer, retryUntil, ...rest } = state;
  if (state.revoked || keptAnswer === undefined || retryUntil === undefined) return rest;
  return now > retryUntil ? rest : { ...rest, keptAnswer, retryUntil };
}

export type RotationJudgement =
  | { readonly verdict: 'rotate' | 'reuse' | 'unknown' }
  | { readonly verdict: 'retry'; readonly keptAnswer: string };

/**
 * The outcome of using a refresh token (G-19, RFC 9700 4.14). The kept answer is erased
 * when the successor is used, so a rotated token without one is past its retry window either way.
 */
export function judgeRotation(
  state: RefreshTokenState | undefined,
  client: ClientId,
  now: Instant,
): RotationJudgement {
  const token = state && visibleRefreshToken(state, now);
  if (token === undefined || token.family.client !== client || token.revoked) {
    return { verdict: 'unknown' };
  }
  if (!token.rotated) return { verdict: 'rotate' };
  if (token.keptAnswer === undefined) return { verdict: 'reuse' };
  return { verdict: 'retry', keptAnswer: token.keptAnswer };
}

/** Whether tokens of a family are valid; a removed family has ended. */
export function familyIsLive(
  family: { readonly revoked: boolean; readonly endsAt: Instant } | undefined,
  now: Instant,
): boolean {
  return family !== undefined && !family.revoked && now < family.endsAt;
}

/** Whether a use of a secret is worth recording beside the last one: once an hour is enough. */
export function isNewUse(last: Instant | undefined, now: Instant): boolean {
  return last === undefined || now - last >= 3_600_000;
}

/** How many rows a sweep may read for each row that it may remove: a read is far cheaper. */
export const looksPerRemoval = 4;
