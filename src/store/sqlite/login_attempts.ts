// Owns login attempts in the file store: each is counted in the file before it is answered.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { Store } from '../contract.ts';
import { type AttemptState, beginAttempt, endAttempt, showAttempts } from '../login_attempts.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { rowSum } from './sums.ts';

type AttemptVerbs = Pick<
  Store,
  'beginLoginAttempt' | 'endLoginAttempt' | 'loginAttempts' | 'unlockAccount'
>;

/**
 * The login attempts' verbs. Counting takes the write lock before it reads, so that processes that
 * share the file have one count (HOSTILE 18). On a full disk no attempt is counted, so none is
 * allowed, locked or not (FAULTS 4, HOSTILE 63); the reserve is not for them: a login has a code to
 * write as well.
 */
export function fileLoginAttempts(database: DatabaseSync, queue: CommitQueue): AttemptVerbs {
  const rows = attemptRows(database);
  return {
    beginLoginAttempt: (programme, account, policy, now) =>
      queue.write(() => {
        const before = rows.find(programme, account);
        const { state, answer } = beginAttempt(before, policy, now);
        if (state !== before) rows.put(programme, account, state);
        return answer;
      }),
    endLoginAttempt: async (programme, account, outcome, now) => {
      if (outcome === 'no_match') return;
      await queue.write(() => {
        const state = endAttempt(rows.find(programme, account), outcome, now);
        if (state === undefined) rows.drop(programme, account);
        else rows.put(programme, account, state);
      });
    },
    loginAttempts: (programme, account, now) =>
      queue.read(() => showAttempts(rows.find(programme, account), now)),
    unlockAccount: (programme, account) =>
      queue.writeFromReserve(() => rows.drop(programme, account)),
  };
}

interface AttemptRow {
  readonly used: number;
  readonly window_ends_at: Instant;
  readonly locked_until: Instant | null;
  readonly sum: number;
}

interface AttemptRows {
  readonly find: (programme: string, account: string) => AttemptState | undefined;
  readonly put: (programme: string, account: string, state: AttemptState) => void;
  /** False where there was none. */
  readonly drop: (programme: string, account: string) => boolean;
}

function attemptRows(database: DatabaseSync): AttemptRows {
  const select = database.prepare(
    `SELECT used, window_ends_at, locked_until, sum FROM login_attempt
     WHERE programme = ? AND key = ?`,
  );
  const replace = database.prepare(
    `REPLACE INTO login_attempt (programme, key, used, window_ends_at, locked_until, sum)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const remove = database.prepare('DELETE FROM login_attempt WHERE programme = ? AND key = ?');
  return {
    find: (programme, account) => {
      const row = select.get(programme, account) as AttemptRow | undefined;
      if (row === undefined) return undefined;
      const { used, window_ends_at: windowEndsAt, locked_until: lockedUntil } = row;
      // A damaged count is begun anew: it must not keep its member out, nor others' commits back.
      const values = [programme, account, used, windowEndsAt, lockedUntil];
      if (rowSum(values) !== row.sum) return undefined;
      return { used, windowEndsAt, ...(lockedUntil === null ? {} : { lockedUntil }) };
    },
    put: (programme, account, { used, windowEndsAt, lockedUntil }) => {
      const values = [programme, account, used, windowEndsAt, lockedUntil ?? null];
      replace.run(...values, rowSum(values));
    },
    drop: (programme, account) => Number(remove.run(programme, account).changes) > 0,
  };
}
