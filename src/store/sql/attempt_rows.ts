// Owns what the rows of login attempts say, for every SQL backend.

import type { AttemptState } from '../login_attempts.ts';
import { type RowOf, sumOf } from './table.ts';
import { loginAttempts } from './tables.ts';

export type AttemptRow = RowOf<typeof loginAttempts>;

export function attemptRow(
  programme: string,
  key: string,
  { used, windowEndsAt, lockedUntil }: AttemptState,
): Omit<AttemptRow, 'sum'> {
  return {
    programme,
    key,
    used,
    window_ends_at: windowEndsAt,
    locked_until: lockedUntil ?? null,
  };
}

/**
 * The state of a row; undefined where there is none or it is damaged. A damaged count begins anew: it must
 * not keep its member out, nor hold back others' commits.
 */
export function attemptState(row: AttemptRow | undefined): AttemptState | undefined {
  if (row === undefined || sumOf(loginAttempts, row) !== row.sum) return undefined;
  const { used, window_ends_at: windowEndsAt, locked_until: lockedUntil } = row;
  return lockedUntil === null ? { used, windowEndsAt } : { used, windowEndsAt, lockedUntil };
}
