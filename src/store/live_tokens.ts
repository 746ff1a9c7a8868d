// Owns the one live token of an owner (`live: one`): what its mark says, when a token takes its place, and
// which tokens it has ended. No setting decides it, so that what has ended stays ended over every reload.

import {
  allowedDrift,
  after,
  earlier,
  type Instant,
  instant,
  later,
  type Milliseconds,
} from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import { present } from '../lib/present.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { Place } from '../oauth/grant.ts';
import type { HeldText } from './kept_texts.ts';

/** A token that becomes the live one of its owner. */
export interface LiveToken {
  readonly programme: ProgrammeId;
  readonly use: 'live_token';
  /** Of its owner. */
  readonly key: Digest;
  /** Its `jti`, or the tag of a sealed token. */
  readonly tokenId: string;
  readonly expiresAt: Instant;
  /** Absent for a client's own token. */
  readonly login?: Place;
  readonly loginEndsAt?: Instant;
  readonly issuedAt: Instant;
  /** An answer that is told again: it ends nothing that became live after its issue. */
  readonly isRetry: boolean;
  /** How long a token of the owner that was issued before may still be good, whatever file issued it. */
  readonly longestToken: Milliseconds;
}

/** What a store keeps of the live token of an owner. */
export interface LiveMark {
  readonly tokenId: string;
  readonly expiresAt: Instant;
  readonly login?: Place;
  /** All other tokens of the owner that were issued up to then have ended. */
  readonly upTo: Instant;
  /**
   * By then all of those tokens have expired, and their logins have ended: a clock that is ahead forgets the
   * mark no earlier than the login, as of a revocation (FAULTS 33).
   */
  readonly until: Instant;
}

/** What becomes of a mark. */
export interface LiveChange {
  readonly mark: LiveMark;
  /** The token before it: it is revoked by itself. */
  readonly ends?: Pick<LiveMark, 'tokenId' | 'expiresAt'>;
}

/**
 * How a token takes the place of the one that is held; undefined where nothing changes. Of tokens issued
 * at the same time the last one written is live: their clocks may differ. A token that was live before
 * never is again.
 *
 * @param isRevoked whether the token itself was revoked
 */
export function takeOver(
  found: LiveMark | undefined,
  isRevoked: boolean,
  token: LiveToken,
  now: Instant,
): LiveChange | undefined {
  const held = found !== undefined && now < found.until ? found : undefined;
  const { tokenId, expiresAt, issuedAt, login, isRetry, longestToken } = token;
  const { loginEndsAt = expiresAt } = token;
  if (isRevoked || held?.tokenId === tokenId) return undefined;
  // Also of the same answer in another format, which a file has changed meanwhile: the first one is live.
  if (isRetry && held !== undefined && issuedAt <= held.upTo) return undefined;
  const mark = {
    tokenId,
    expiresAt,
    // A clock that was ahead must not end what is issued after it was set right.
    upTo: later(issuedAt, earlier(held?.upTo ?? issuedAt, now)),
    until: [after(now, longestToken), loginEndsAt, expiresAt, held?.until ?? expiresAt].reduce(
      later,
    ),
    ...present({ login }),
  };
  return held === undefined || held.expiresAt <= now ? { mark } : { mark, ends: held };
}

/**
 * Whether the mark of its owner has ended a token. A token that was live itself is also revoked; the time
 * of issue tells of those that were issued while the programme had `live: any`.
 *
 * @param live what the programme has by now: it counts where the mark does not tell a time that can be true
 */
export function isEndedBy(
  mark: LiveMark | undefined,
  { tokenId, issuedAt }: Pick<LiveToken, 'tokenId' | 'issuedAt'>,
  live: 'any' | 'one',
  now: Instant,
): boolean {
  if (mark === undefined || mark.tokenId === tokenId) return false;
  const { upTo } = mark;
  if (upTo > now + allowedDrift) return live === 'one';
  return issuedAt <= upTo;
}

/** A mark as a kept text. */
export function markText({ tokenId, upTo, expiresAt, login, until }: LiveMark): HeldText {
  return { text: tokenId, mark: [upTo, expiresAt, login].join(' '), until };
}

/** What is held after a clock was set back: the mark of a clock ahead ends nothing that is issued since (FAULTS 33). */
export function setBackMark<Held extends HeldText>(held: Held, to: Instant): Held {
  const mark = readMark(held);
  if (mark.upTo <= to) return held;
  return { ...held, mark: markText({ ...mark, upTo: to }).mark };
}

export function readMark({ text: tokenId, mark, until }: HeldText): LiveMark {
  const [upTo, expiresAt, login] = mark.split(' ');
  return {
    tokenId,
    upTo: instant(Number(upTo)),
    expiresAt: instant(Number(expiresAt)),
    ...(login === '' ? {} : { login: Number(login) as Place }),
    until,
  };
}
