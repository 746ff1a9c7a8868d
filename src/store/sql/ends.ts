// Owns when a row is past its end, for every table of an SQL backend whose rows have one.

import type { Instant } from '../../lib/clock.ts';
import { placeAfter } from '../../oauth/place.ts';
import { looksPerRemoval, overUpTo } from '../judgement.ts';
import { forgetAtInState, instantBytes } from './state.ts';
import type { Table, Value } from './table.ts';
import {
  codes,
  finishedLogins,
  keptTexts,
  knownCodes,
  loginAttempts,
  logins,
  revokedTokens,
} from './tables.ts';

/** How the ended rows of a table are told. */
export interface Ends {
  readonly table: Table;
  /** SQL of what holds for an ended row; `:at` stands for `upTo`. */
  readonly isOver: string;
  /** Of a sweep's time. */
  readonly upTo: (now: Instant) => Value;
  readonly type: 'integer' | 'blob';
  /** Rows read for each row that may be removed. */
  readonly looks: number;
}

/** Rows with their end in a column, or in SQL over some. */
export function endingAt(table: Table, end: string): Ends {
  return {
    table,
    isOver: `${end} <= :at`,
    upTo: (now) => now,
    type: 'integer',
    looks: looksPerRemoval,
  };
}

const anyTime = 0 as Instant;
/** How many places there are from a minute before a time to a minute after it, by clocks that differ. */
const placesOfNow = 2 * (placeAfter(anyTime) - placeAfter(overUpTo(anyTime)));

/** In the order in which they are swept. */
export const ends: readonly Ends[] = [
  endingAt(codes, 'code.forget_at'),
  endingAt(finishedLogins, 'finished_login.forget_at'),
  {
    ...endingAt(knownCodes, ''),
    // Whatever the time, but for places of now: of a code that is issued, its own row may be under way still.
    isOver: `known_code.place NOT BETWEEN :at AND :at + ${placesOfNow}
      AND NOT EXISTS (SELECT 1 FROM login WHERE login.place = known_code.place)
      AND NOT EXISTS (SELECT 1 FROM code WHERE code.digest = known_code.digest)`,
    upTo: (now) => placeAfter(overUpTo(now)),
    // Each look reads rows of other tables, in no order.
    looks: 1,
  },
  {
    ...endingAt(logins, forgetAtInState),
    upTo: (now) => instantBytes(overUpTo(now)),
    type: 'blob',
  },
  endingAt(revokedTokens, 'revoked_token.expires_at'),
  endingAt(keptTexts, 'kept_text.ends_at'),
  endingAt(loginAttempts, 'coalesce(login_attempt.locked_until, login_attempt.window_ends_at)'),
];
