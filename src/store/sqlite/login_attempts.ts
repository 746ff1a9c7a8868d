// Owns the file store's rows of login attempts: each attempt is counted in the file before it is answered.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { AttemptRows, AttemptState } from '../login_attempts.ts';
import { rowSum } from '../sql/table.ts';
import type { CommitQueue } from './commits/commit_queue.ts';

interface AttemptRow {
  readonly used: number;
  readonly window_ends_at: Instant;
  readonly locked_until: Instant | null;
  readonly sum: number;
}

/**
 * A change takes the write lock before it reads, so that processes that share the file have one
 * count (HOSTILE 18). On a full disk no attempt is counted, so none is allowed, locked or not
 * (FAULTS 4, HOSTILE 63); the reserve is not for attempts: a login has a code to write as well.
 */
export function fileAttempts(database: DatabaseSync, queue: CommitQueue): AttemptRows {
  const select = database.prepare(
    `SELECT used, window_ends_at, locked_until, sum FROM login_attempt
     WHERE programme = ? AND key = ?`,
  );
  const replace = database.prepare(
    `REPLACE INTO login_attempt (programme, key, used, window_ends_at, locked_until, sum)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const remove = database.prepare('DELETE FROM login_attempt WHERE programme = ? AND key = ?');
  const find = (programme: string, account: string): AttemptState | undefined => {
    const row = select.get(programme, account) as AttemptRow | undefined;
    if (row === undefined) return undefined;
    const { used, window_ends_at: windowEndsAt, locked_until: lockedUntil } = row;
    // A damaged count begins anew: it must not keep its member out, nor hold back others' commits.
    if (rowSum([programme, account, used, windowEndsAt, lockedUntil]) !== row.sum) return undefined;
    return lockedUntil === null ? { used, windowEndsAt } : { used, windowEndsAt, lockedUntil };
  };
  return {
    find: (programme, account) => queue.read(() => find(programme, account)),
    change: (programme, account, change, urgent) => {
      const verb = (): ReturnType<typeof change>['answer'] => {
        const before = find(programme, account);
        const { state, answer } = change(before);
        if (state === undefined) remove.run(programme, account);
        else if (state !== before) {
          const { used, windowEndsAt, lockedUntil } = state;
          const values = [programme, account, used, windowEndsAt, lockedUntil ?? null];
          replace.run(...values, rowSum(values));
        }
        return answer;
      };
      return urgent === undefined ? queue.write(verb) : queue.writeFromReserve(verb);
    },
  };
}
