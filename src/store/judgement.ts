// Owns the decisions that every backend and caller must take alike; it reads and writes nothing itself.

import { after, allowedDrift, earlier, type Instant, later, milliseconds } from '../lib/clock.ts';
import { type Digest, sameDigest } from '../lib/digest.ts';
import { present } from '../lib/present.ts';
import { randomBytes } from '../lib/random.ts';
import type { ClientId } from '../oauth/client.ts';
import {
  type Answer,
  type AuthorizationCode,
  type Era,
  lastGeneration,
  type Login,
  type LoginState,
  type Place,
} from '../oauth/grant.ts';
import type { FoundCode, SpentFor } from './grants.ts';
import type { Outage } from './keeping.ts';

/** A code as a backend keeps it: unspent, or spent for a login. */
export type KeptCode = UnspentCode | SpentFor;

export interface UnspentCode {
  readonly code: AuthorizationCode;
  readonly spentFor?: undefined;
  /** All that its owner had been issued was revoked since. */
  readonly revoked: boolean;
}

/** The era in which a store begins. */
export const firstEra = 1 as Era;

/**
 * Whether something issued in `era` was revoked with all of its owner's tokens; `until` is the era
 * that the latest such revocation ended, if there was one.
 */
export function diedAtOnce(era: Era, until: Era | null | undefined): boolean {
  return until !== undefined && until !== null && era <= until;
}

/** Later than any era: a removed client's tokens are dead whenever they are written (C-5). */
export const forever = Number.MAX_SAFE_INTEGER as Era;

/** More eras than a store has between a backup and its restore. */
const manyEras = 2 ** 20;

/**
 * An era after each of these, and after any that a lost store may have had since. The random part
 * separates two restores of one backup: a store refuses a token of an era later than its own.
 */
export function farEra(...eras: readonly Era[]): Era {
  return (Math.max(...eras) + manyEras + randomBytes(4).readUInt32BE()) as Era;
}

export type SpendJudgement =
  | { readonly verdict: 'unknown' }
  | { readonly verdict: 'spend'; readonly code: AuthorizationCode }
  | { readonly verdict: 'replay'; readonly place: Place };

/**
 * The outcome of spending a code (G-2, RFC 6749 4.1.2). A spent code is a replay as long as its login
 * is kept: the login may still be valid.
 */
export function judgeSpend(
  state: KeptCode | undefined,
  client: ClientId,
  now: Instant,
): SpendJudgement {
  if (state === undefined || state.code.client !== client) return { verdict: 'unknown' };
  if (state.spentFor !== undefined) return { verdict: 'replay', place: state.spentFor };
  const { code, revoked } = state;
  return revoked || now >= code.expiresAt ? { verdict: 'unknown' } : { verdict: 'spend', code };
}

/** The code at `now`, spent or not; undefined after `forgetAt`, or if it was revoked unspent. */
export function visibleCode(state: KeptCode | undefined, now: Instant): FoundCode | undefined {
  if (state === undefined || state.spentFor !== undefined) return state;
  return state.revoked || now >= state.code.forgetAt ? undefined : { code: state.code };
}

/** Characters that are left of the digests of a spent code: by chance a client ends a login of its own. */
const left = 6;

/** What is left of a digest of a spent code. */
export function cutDigest(digest: string): Digest {
  return digest.slice(0, left) as Digest;
}

/** A refresh token as it was presented. */
export interface PresentedRefresh {
  readonly client: ClientId;
  readonly generation: number;
  readonly refreshDigest: string;
  /** Asked for only where the token is not its login's latest. */
  readonly loginDigest: string;
  /** Digest of the refresh token that follows it by the nonce and key of an answer; undefined without that key. */
  readonly successorDigest: (answer: Answer) => string | undefined;
}

/**
 * `rotate` is the login's latest token: it is replaced, or stays where the programme does not rotate.
 * `unknown` and `ahead` change nothing; `ahead` is reported: the store knows less than its tokens, or a
 * client that had a token of the login made this one up.
 */
export type RefreshVerdict = 'rotate' | 'retry' | 'reuse' | 'unknown' | 'ahead';

/**
 * The outcome of using a refresh token (G-19, RFC 9700 4.14, docs/decisions/031). Without the store's
 * outages a retry after one may be taken for reuse; no other verdict depends on them.
 */
export function judgeRefresh(
  state: LoginState | undefined,
  presented: PresentedRefresh,
  now: Instant,
  outages: readonly Outage[] = [],
): RefreshVerdict {
  if (state === undefined || state.client !== presented.client) return 'unknown';
  const { generation } = presented;
  const isLatest =
    generation === state.generation && sameDigest(state.refreshDigest, presented.refreshDigest);
  // The digest of the latest token covers the secret of its login.
  if (!isLatest && !sameDigest(state.loginDigest, presented.loginDigest)) return 'unknown';
  if (state.revoked || now >= state.endsAt || state.refreshDigest === '') return 'unknown';
  if (generation > state.generation) return 'ahead';
  if (generation === state.generation) {
    if (!isLatest) return 'ahead';
    return now < refreshEnd(state) && generation < lastGeneration ? 'rotate' : 'unknown';
  }
  // A client that uses a token has received it: its predecessor's retries have ended (HOSTILE 29).
  if (generation < state.generation - 1 || now > retryUntil(state, outages)) return 'reuse';
  // A span of 0 is no window at all, even within the millisecond of the answer.
  if (state.retrySpan === 0) return 'reuse';
  // An answer of a clock that was ahead, and was set right since.
  if (state.answeredAt > now + allowedDrift) return 'unknown';
  const successor = presented.successorDigest(state);
  return successor !== undefined && sameDigest(successor, state.refreshDigest)
    ? 'retry'
    : 'unknown';
}

type AnswerTimes = Pick<Answer, 'generation' | 'nonce' | 'answeredAt' | 'forgetAt'>;

/**
 * Whether an answer still is the last one. No two have the same nonce; what changes of one is how long
 * its refresh token is good and its row is kept.
 */
export function isSameAnswer(one: AnswerTimes, other: AnswerTimes): boolean {
  return (
    one.nonce === other.nonce &&
    one.generation === other.generation &&
    one.answeredAt === other.answeredAt &&
    one.forgetAt === other.forgetAt
  );
}

/** The last answer of a login by itself. */
export function answerIn(login: Answer): Answer {
  return {
    generation: login.generation,
    refreshDigest: login.refreshDigest,
    nonce: login.nonce,
    keyNumber: login.keyNumber,
    answeredAt: login.answeredAt,
    accessSpan: login.accessSpan,
    refreshSpan: login.refreshSpan,
    retrySpan: login.retrySpan,
    tokenNumber: login.tokenNumber,
    forgetAt: login.forgetAt,
    ...present({ ownScope: login.ownScope }),
  };
}

/** When the access token of an answer expires. */
export function accessEnd({ answeredAt, accessSpan, endsAt }: Login & Answer): Instant {
  return earlier(after(answeredAt, accessSpan), endsAt);
}

/** When the refresh token of an answer expires. */
export function refreshEnd({ answeredAt, refreshSpan, endsAt }: Login & Answer): Instant {
  return earlier(after(answeredAt, refreshSpan), endsAt);
}

/**
 * Until when the refresh token before an answer gets that answer again. Outages are no part of that time;
 * some of them may overlap.
 */
export function retryUntil(
  { answeredAt, retrySpan }: Answer,
  outages: readonly Outage[] = [],
): Instant {
  let until = after(answeredAt, retrySpan);
  let covered = answeredAt;
  for (const { from, to } of outages.toSorted((one, other) => one.from - other.from)) {
    if (from > until) break;
    until = after(until, milliseconds(Math.max(0, to - Math.max(from, covered))));
    covered = later(covered, to);
  }
  return until;
}

/** Milliseconds for which a request that has read a login may take to change it. */
const underWay = milliseconds(60_000);

/** Whether a login may be swept: nothing of it is valid, and no request is under way with it. */
export function loginIsOver({ forgetAt }: Pick<Answer, 'forgetAt'>, now: Instant): boolean {
  return forgetAt <= overUpTo(now);
}

/** The latest `forgetAt` of logins that may be swept at `now`. */
export function overUpTo(now: Instant): Instant {
  return (now - underWay) as Instant;
}

/** How many rows a sweep may read for each row that it may remove: a read is far cheaper. */
export const looksPerRemoval = 4;
