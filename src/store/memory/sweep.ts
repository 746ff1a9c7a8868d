// Owns removals from the memory store: rows past their end, and rows issued later than an accepted time.

import type { Instant } from '../../lib/clock.ts';
import type { Keeping } from '../keeping.ts';
import type { CodeRow, GrantTables } from './tables.ts';

/** Removes ended rows, at most `limit`; returns their number. */
type Sweep = (now: Instant, limit: number) => number;

/** Sweeps all tables of grants and then `others`. */
export function memorySweep(tables: GrantTables, others: readonly Sweep[]): Keeping['sweep'] {
  const dropTransaction = transactionDropper(tables);
  const sweeps: readonly Sweep[] = [
    (now, limit) => tables.codes.sweep(limit, ({ code }) => now >= code.forgetAt, dropTransaction),
    (now, limit) => tables.access.sweep(limit, ({ token }) => now >= token.expiresAt),
    (now, limit) =>
      tables.refresh.sweep(limit, (row) => {
        // Kept answers end earlier than their tokens.
        if (row.retry && now > row.retry.retryUntil) row.retry = undefined;
        return now >= row.expiresAt;
      }),
    (now, limit) => tables.families.sweep(limit, ({ family }) => now >= family.endsAt),
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

/** Removes codes, families and access tokens issued later than `now` (see `acceptTime`). */
export function dropLaterThan(tables: GrantTables, now: Instant): void {
  tables.codes.remove(({ code }) => code.issuedAt > now, transactionDropper(tables));
  tables.families.remove(({ family }) => family.createdAt > now);
  tables.access.remove(({ token }) => token.issuedAt > now);
}

function transactionDropper({ transactions }: GrantTables): (row: CodeRow) => void {
  return ({ code }) => transactions.delete(code.programme, code.transaction);
}
