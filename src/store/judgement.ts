// Owns the decisions that every backend must take alike; it reads and writes nothing itself.

import { isDeepStrictEqual } from 'node:util';

import type { Instant } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import type { Client, ClientId, ProgrammeId } from '../oauth/client.ts';
import type { Gateway } from '../oauth/gateway.ts';
import type {
  AuthorizationCode,
  Era,
  FamilyId,
  RefreshTokenState,
  TokenFamily,
} from '../oauth/grant.ts';
import type { MemberRecord } from '../oauth/member.ts';
import type { SigningKeyRecord } from '../oauth/signing_key.ts';
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

/** A JWT without an era is older than every era: its instant compares as one. */
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
 * Whether a JWT that no row remembers can be one that this store stands for: not one of an era after
 * the store's own, which a restore has undone, nor one of a clock that was ahead and set right since.
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
  return { verdict: state.revoked || now >= state.code.expiresAt ? 'unknown' : 'spend' };
}

/** A code as it may be shown at `now`: spent or good, and nothing once it is to be forgotten. */
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
 * A refresh token as it may be shown at `now`: nothing once it or its family has ended, and the
 * sealed answer only while a retry may still have it.
 */
export function visibleRefreshToken(
  state: RefreshTokenState,
  now: Instant,
): RefreshTokenState | undefined {
  if (now >= state.expiresAt || now >= state.family.endsAt) return undefined;
  // Most have none, and need no copy without one.
  if (state.keptAnswer === undefined && state.retryUntil === undefined) return state;
  const { keptAnswer, retryUntil, ...rest } = state;
  if (state.revoked || keptAnswer === undefined || retryUntil === undefined) return rest;
  return now > retryUntil ? rest : { ...rest, keptAnswer, retryUntil };
}

export type RotationJudgement =
  | { readonly verdict: 'rotate' | 'reuse' | 'unknown' }
  | { readonly verdict: 'retry'; readonly keptAnswer: string };

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
  if (token.keptAnswer === undefined) return { verdict: 'reuse' };
  return { verdict: 'retry', keptAnswer: token.keptAnswer };
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

/** Holds a change of a gateway to its identity. */
export function sameGateway(before: Gateway, after: Gateway): Gateway {
  if (before.programme === after.programme && before.id === after.id) return after;
  throw new Error(`a change of gateway ${before.id} may not change its programme or identifier`);
}

/** Holds a change of a member to its subject, which is immutable (C-9). */
export function sameMember(before: MemberRecord, after: MemberRecord): MemberRecord {
  if (before.programme === after.programme && before.subject === after.subject) return after;
  throw new Error(`a change of member ${before.subject} may not change its programme or subject`);
}

/** What tells two states of a programme's signing keys apart. */
export interface SigningKeyChanges {
  readonly added: readonly SigningKeyRecord[];
  readonly changed: readonly SigningKeyRecord[];
  readonly removed: readonly SigningKeyRecord[];
}

/**
 * Holds a change of a programme's signing keys to that programme, and to one key of a name: tokens
 * name the key that signed them.
 */
export function signingKeyChanges(
  programme: ProgrammeId,
  before: readonly SigningKeyRecord[],
  after: readonly SigningKeyRecord[],
): SigningKeyChanges {
  const known = new Map(before.map((key) => [key.kid, key]));
  const kept = new Map(after.map((key) => [key.kid, key]));
  if (kept.size < after.length || after.some((key) => key.programme !== programme)) {
    throw new Error(
      `a change of the signing keys of ${programme} must keep them apart and its own`,
    );
  }
  return {
    added: after.filter(({ kid }) => !known.has(kid)),
    changed: after.filter((key) => {
      const one = known.get(key.kid);
      return one !== undefined && !isDeepStrictEqual(one, key);
    }),
    removed: before.filter(({ kid }) => !kept.has(kid)),
  };
}

/** Whether a use of a secret is worth recording beside the last one: once an hour is enough. */
export function isNewUse(last: Instant | undefined, now: Instant): boolean {
  return last === undefined || now - last >= 3_600_000;
}

/** Digests of all secrets and API keys of a client. */
export function digestsOf({ secrets, apiKeys }: Client): readonly Digest[] {
  return [...secrets, ...apiKeys].map(({ digest }) => digest);
}

/** Identifiers of the clients that cannot be added: given out before, or twice among these (C-5). */
export function takenAmong(
  clients: readonly Client[],
  isTaken: (client: Client) => boolean,
): readonly ClientId[] {
  const seen = new Set<string>();
  const taken = clients.filter((client) => {
    const name = `${client.programme}\0${client.id}`;
    const twice = seen.has(name);
    seen.add(name);
    return twice || isTaken(client);
  });
  return [...new Set(taken.map(({ id }) => id))];
}

/** The error of a change that gives a member another's username. */
export function usernameTaken(username: string): Error {
  return new Error(`username ${username} is taken by another member`);
}

/** How many rows a sweep may look at for each row that it may remove: looking is far cheaper. */
export const looksPerRemoval = 4;
