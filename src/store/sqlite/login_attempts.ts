// Owns the file store's rows of login attempts: each attempt is counted in the file before it is answered.

import type { DatabaseSync } from 'node:sqlite';

import type { AttemptRows, AttemptState } from '../login_attempts.ts';
import { attemptRow, attemptState } from '../sql/attempt_rows.ts';
import { from } from '../sql/parts.ts';
import { loginAttempts } from '../sql/tables.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { finder, inserter, replacing } from './tables.ts';

/**
 * A change takes the write lock before it reads, so that processes that share the file have one
 * count (HOSTILE 18). On a full disk no attempt is counted, so none is allowed, locked or not
 * (FAULTS 4, HOSTILE 63); the reserve is not for attempts: a login has a code to write as well.
 */
export function fileAttempts(database: DatabaseSync, queue: CommitQueue): AttemptRows {
  const select = finder(
    database,
    { row: from(loginAttempts, 'login_attempt') },
    'FROM login_attempt WHERE programme = ? AND key = ?',
  );
  const replace = inserter(database, loginAttempts, replacing(loginAttempts));
  const locked = database.prepare(
    'SELECT COUNT(*) AS locked FROM login_attempt WHERE programme = ? AND locked_until > ?',
  );
  const remove = database.prepare('DELETE FROM login_attempt WHERE programme = ? AND key = ?');
  const find = (programme: string, account: string): AttemptState | undefined =>
    attemptState(select(programme, account)?.row);
  return {
    find: (programme, account) => queue.read(() => find(programme, account)),
    countLocked: (programme, now) =>
      queue.read(() => Number(locked.get(programme, now)?.['locked'] ?? 0)),
    change: (programme, account, change, urgent) => {
      const verb = (): ReturnType<typeof change>['answer'] => {
        const before = find(programme, account);
        const { state, answer } = change(before);
        if (state === undefined) remove.run(programme, account);
        else if (state !== before) replace(attemptRow(programme, account, state));
        return answer;
      };
      return urgent === undefined ? queue.write(verb) : queue.writeFromReserve(verb);
    },
  };
}
