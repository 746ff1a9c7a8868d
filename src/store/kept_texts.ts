// Owns kept texts: what a store keeps under a key for a use, until an end, and the floor under assertions.

import { after, allowedDrift, type Instant, longestTolerance, milliseconds } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import type { ProgrammeId } from '../oauth/client.ts';

/**
 * What texts are kept for. An assertion is kept once; a text of any other use replaces the one before it.
 * - `assertion`: an assertion was used; its key is the digest of issuer and `jti`;
 * - `access_token`, `refresh_token`: the ordinary text of a token that has a form of its own, encrypted
 *   under a key made from that token, of which the key here is a digest;
 * - `live_token`: the one live token of an owner, which takes its place by live_tokens.ts; and, once a
 *   programme, that there may be any;
 * - `backup`: when the newest backup was made (backup_note.ts).
 */
export type KeptUse = 'assertion' | 'access_token' | 'refresh_token' | 'live_token' | 'backup';

export interface KeptText {
  readonly programme: ProgrammeId;
  readonly use: KeptUse;
  /** Never what a stranger wrote, which has any length and any characters. */
  readonly key: Digest;
  /** Without NUL. */
  readonly text: string;
  /** It is held until then, and swept afterwards. */
  readonly until: Instant;
  /** Of an assertion: nobody used it before; taken as `longestAssertion` before `until` if left out. */
  readonly issuedAt?: Instant;
}

/** A text as it is found; `mark` is what live_tokens.ts or a backend writes beside it. */
export interface HeldText extends Pick<KeptText, 'text' | 'until'> {
  readonly mark: string;
}

/**
 * The longest time from an assertion's issue to its end. Of one that ends later, as a programme can allow,
 * a floor is gone while it is good: after a restore it may be used again.
 */
export const longestAssertion = milliseconds(3_600_000);

/**
 * Assertions issued up to a floor are used no more. A restore loses the rows of those that were used since
 * the backup. A clock that was ahead has swept rows of assertions that become valid again when it is set
 * back. A floor is a kept text of no programme; it lasts as long as an assertion below it may be valid.
 */
export interface Floor {
  readonly upTo: Instant;
  readonly until: Instant;
}

function floorAt(upTo: number): Floor {
  const drifted = after(upTo as Instant, allowedDrift);
  // An assertion is taken before its issue and after its end, each by as much as the tolerance.
  const longest = milliseconds(longestAssertion + 2 * longestTolerance);
  return { upTo: drifted, until: after(drifted, longest) };
}

/** The floor after a restore, at the latest time that anybody has seen. */
export function floorAfterRestore(now: Instant): Floor {
  return floorAt(now);
}

/**
 * The floor after a clock was set back. Assertions of a clock more than `longestAssertion` ahead pass it:
 * partners would be shut out for as long as the clock was ahead.
 */
export function floorAfterSetBack(to: Instant, from: Instant): Floor {
  return floorAt(Math.min(from, to + longestAssertion));
}

/** When the text was issued, for a comparison with a floor: never, where floors do not concern it. */
export function issueOf({ use, issuedAt, until }: KeptText): number {
  if (use !== 'assertion') return Number.MAX_SAFE_INTEGER;
  return issuedAt ?? until - longestAssertion;
}
