// Owns removals from the memory store: rows past their end, and rows issued later than an accepted time.

import type { Instant } from '../../lib/clock.ts';
import type { AuthorizationCode } from '../../oauth/grant.ts';
import { placeAfter } from '../../oauth/place.ts';
import { loginIsOver, spentCode } from '../judgement.ts';
import type { Keeping } from '../keeping.ts';
import type { GrantTables } from './tables.ts';

/** Removes ended rows, at most `limit`; returns their number. */
type Sweep = (now: Instant, limit: number) => number;

/** Sweeps all tables of grants and then `others`. */
export function memorySweep(tables: GrantTables, others: readonly Sweep[]): Keeping['sweep'] {
  const sweeps: readonly Sweep[] = [
    (now, limit) => sweepCodes(tables, now, limit),
    (now, limit) => tables.logins.sweep(limit, (login) => loginIsOver(login, now)),
    ...others,
  ];
  let calls = 0;
  return async (now, limit) => {
    // Each call begins with the next table: a busy table would else use up the limit every time.
    const first = calls++ % sweeps.length;
    let left = limit;
    for (const sweep of [...sweeps.slice(first), ...sweeps.slice(0, first)])
      left -= sweep(now, left);
    return limit - left;
  };
}

/** An unspent code goes at its `forgetAt`; a spent code is cut then, and goes with its login. */
function sweepCodes(tables: GrantTables, now: Instant, limit: number): number {
  const { codes, logins } = tables;
  return codes.sweep(limit, (row) => {
    const whole = row.spentFor === undefined ? row.code : row.whole;
    if (whole !== undefined) {
      if (now < whole.forgetAt) return false;
      dropTransaction(tables, whole);
      if (row.spentFor === undefined) return true;
      const { programme, spentFor } = row;
      codes.set(programme, whole.key, { programme, code: spentCode(whole), spentFor });
    }
    return row.spentFor !== undefined && logins.get(row.programme, row.spentFor) === undefined;
  });
}

/** Removes codes and logins that began later than `now` (see `acceptTime`). */
export function dropLaterThan(tables: GrantTables, now: Instant): void {
  const drop = (code: AuthorizationCode): void => dropTransaction(tables, code);
  tables.codes.remove(
    (row) => row.spentFor === undefined && row.code.issuedAt > now,
    (row) => row.spentFor === undefined && drop(row.code),
  );
  const first = placeAfter(now);
  tables.logins.remove(({ place }) => place >= first);
}

function dropTransaction(
  { transactions }: GrantTables,
  { programme, transaction }: AuthorizationCode,
): void {
  transactions.delete(programme, transaction);
}
