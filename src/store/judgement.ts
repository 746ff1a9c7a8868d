// Owns the decisions that every backend must take alike; it reads and writes nothing itself.

import type { Instant } from '../lib/clock.ts';
import type { Client, ClientId } from '../oauth/client.ts';
import type {
  AuthorizationCode,
  FamilyId,
  RefreshTokenState,
  TokenFamily,
} from '../oauth/grant.ts';
import type { MemberRecord } from '../oauth/member.ts';

/** A code as a backend keeps it: `spentFor` is the family its first use paid for. */
export interface CodeState {
  readonly code: AuthorizationCode;
  readonly spentFor?: FamilyId;
}

export type SpendJudgement =
  | { readonly verdict: 'spend' | 'unknown' }
  | { readonly verdict: 'replay'; readonly family: FamilyId };

/**
 * What a try to spend a code comes to (G-2, RFC 6749 4.1.2). A spent code is a replay long after
 * it expired: what it paid for may still live.
 */
export function judgeSpend(
  state: CodeState | undefined,
  client: ClientId,
  now: Instant,
): SpendJudgement {
  if (state === undefined || state.code.client !== client) return { verdict: 'unknown' };
  if (now >= state.code.forgetAt) return { verdict: 'unknown' };
  if (state.spentFor !== undefined) return { verdict: 'replay', family: state.spentFor };
  return { verdict: now >= state.code.expiresAt ? 'unknown' : 'spend' };
}

/**
 * When a spent code may be forgotten: not before the family it paid for has ended, so that a
 * replay is recognised as one, and not before it would have been forgotten unspent.
 */
export function forgetSpentAt(code: AuthorizationCode, family: TokenFamily): Instant {
  return family.endsAt > code.forgetAt ? family.endsAt : code.forgetAt;
}

/**
 * A refresh token as it may be shown at `now`: nothing once it or its family has ended, and the
 * sealed answer only while a retry may still have it.
 */
export function visibleRefreshToken(
  state: RefreshTokenState,
  now: Instant,
): RefreshTokenState | undefined {
  if (now >= state.expiresAt || now >= state.family.endsAt) return undefined;
  const { sealedAnswer, retryUntil, ...rest } = state;
  if (state.revoked || sealedAnswer === undefined || retryUntil === undefined) return rest;
  return now > retryUntil ? rest : { ...rest, sealedAnswer, retryUntil };
}

export type RotationJudgement =
  | { readonly verdict: 'rotate' | 'reuse' | 'unknown' }
  | { readonly verdict: 'retry'; readonly sealedAnswer: string };

/**
 * What a try to use a refresh token comes to (G-19, RFC 9700 4.14). The sealed answer is erased
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
  if (token.sealedAnswer === undefined) return { verdict: 'reuse' };
  return { verdict: 'retry', sealedAnswer: token.sealedAnswer };
}

/** Whether tokens of a family are worth anything; a family that was forgotten has ended. */
export function familyIsLive(
  family: { readonly revoked: boolean; readonly endsAt: Instant } | undefined,
  now: Instant,
): boolean {
  return family !== undefined && !family.revoked && now < family.endsAt;
}

/** Holds a change of a client to its identity: an identifier is never reissued (C-5). */
export function sameClient(before: Client, after: Client): Client {
  if (before.programme === after.programme && before.id === after.id) return after;
  throw new Error(`a change of client ${before.id} may not change its programme or identifier`);
}

/** Holds a change of a member to its subject, which is immutable (C-9). */
export function sameMember(before: MemberRecord, after: MemberRecord): MemberRecord {
  if (before.programme === after.programme && before.subject === after.subject) return after;
  throw new Error(`a change of member ${before.subject} may not change its programme or subject`);
}

/** The error of a change that gives a member another's username. */
export function usernameTaken(username: string): Error {
  return new Error(`username ${username} is taken by another member`);
}

/** How many rows a sweep may look at for each row that it may remove: looking is far cheaper. */
export const looksPerRemoval = 4;
