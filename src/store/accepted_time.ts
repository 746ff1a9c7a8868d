// Owns what an accepted time means for access tokens from before it. It reads and writes nothing itself.

import type { Instant } from '../lib/clock.ts';
import type { Era } from '../oauth/grant.ts';
import type { StandingQuestion, TokenName } from './grants.ts';

/** A time that a clock was set to, and the era that ended then. */
export interface AcceptedTime {
  readonly era: Era;
  readonly time: Instant;
  /** Before that time, revocations of tokens that end up to this instant may have been removed. */
  readonly forgotten: Instant;
}

/** The accepted time of a store's single values; undefined where none was accepted. */
export function acceptedIn(
  era: number | null | undefined,
  time: number | null | undefined,
  forgotten: number | null | undefined,
): AcceptedTime | undefined {
  if (typeof era !== 'number' || typeof time !== 'number') return undefined;
  return { era: era as Era, time: time as Instant, forgotten: (forgotten ?? 0) as Instant };
}

/**
 * Whether a token without a login can be of this store. Refused are a token of an era after the
 * store's own, which a restore has undone, and two kinds from before a clock was set back: tokens that
 * the clock ahead issued, and tokens whose own revocation it may have removed (FAULTS 29). A token that
 * was issued since is refused for neither (FAULTS 33).
 */
export function isOfThisLife(
  { era, issuedAt }: NonNullable<StandingQuestion['own']>,
  expiresAt: Instant,
  current: Era,
  accepted: AcceptedTime | undefined,
): boolean {
  if (era > current) return false;
  if (accepted === undefined || era > accepted.era) return true;
  return issuedAt <= accepted.time && expiresAt > accepted.forgotten;
}

/**
 * When the revocation of a token may be removed. The sweep of a clock that is ahead takes it for over
 * no earlier than the token's login: `acceptTime` ends that login where the revocation is gone.
 */
export function revokedUntil({ expiresAt, loginEndsAt = expiresAt }: TokenName): Instant {
  return loginEndsAt;
}
