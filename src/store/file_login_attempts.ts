// Owns login attempts in the file store: counted at once in this process, written in passing.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../lib/clock.ts';
import type { CommitQueue } from './commit_queue.ts';
import type { Store } from './contract.ts';
import { rowSum } from './file_sums.ts';
import {
  type AttemptPolicy,
  type AttemptState,
  beginAttempt,
  endAttempt,
  type LoginAttempt,
} from './login_attempts.ts';
import type { Passenger } from './transactions.ts';

/** Milliseconds that a count may lag behind in the file; a lock does not wait. */
const lag = 100;

type Step = (before: AttemptState | undefined) => AttemptState | undefined;

/** Steps of one account that are not in the file yet. */
interface Waiting {
  readonly programme: string;
  readonly account: string;
  readonly steps: Step[];
}

/** Attempts in the file, and on their way there. */
export interface FileLoginAttempts extends Passenger {
  readonly begin: (
    programme: string,
    account: string,
    policy: AttemptPolicy,
    now: Instant,
  ) => LoginAttempt;
  readonly step: (programme: string, account: string, step: Step) => void;
  /** Forgets the account, inside a write; false when there is nothing to forget. */
  readonly forget: (programme: string, account: string) => boolean;
}

/**
 * What an account has used is what the file says and the steps that wait, in that order: another
 * process's unlocking counts at once, and its attempts as soon as they are written.
 */
export function fileLoginAttempts(database: DatabaseSync): FileLoginAttempts {
  const rows = attemptRows(database);
  const waiting = new Map<string, Waiting>();
  const current = (programme: string, account: string): AttemptState | undefined => {
    const steps = waiting.get(nameOf(programme, account))?.steps ?? [];
    return steps.reduce<AttemptState | undefined>(
      (state, step) => step(state),
      rows.find(programme, account),
    );
  };
  const step = (programme: string, account: string, next: Step): void => {
    const name = nameOf(programme, account);
    const entry = waiting.get(name) ?? { programme, account, steps: [] };
    entry.steps.push(next);
    waiting.set(name, entry);
  };
  return {
    begin: (programme, account, policy, now) => {
      const before = current(programme, account);
      const { state, answer } = beginAttempt(before, policy, now);
      if (state !== before) {
        step(programme, account, (so) => beginAttempt(so, policy, now).state);
      }
      return answer;
    },
    step,
    forget: (programme, account) => {
      const was = current(programme, account) !== undefined;
      // Not the steps that wait: the write may fail, and they are as nothing when it does not.
      step(programme, account, () => undefined);
      return was;
    },
    board: () => {
      for (const { programme, account, steps } of waiting.values()) {
        const before = rows.find(programme, account);
        const state = steps.reduce<AttemptState | undefined>((so, next) => next(so), before);
        if (state === undefined) rows.drop(programme, account);
        else rows.put(programme, account, state);
      }
    },
    arrive: () => waiting.clear(),
  };
}

type AttemptVerbs = Pick<Store, 'beginLoginAttempt' | 'endLoginAttempt' | 'unlockAccount'>;

/** The login attempts' verbs; no answer but to unlocking waits for a commit. */
export function loginAttemptVerbs(attempts: FileLoginAttempts, queue: CommitQueue): AttemptVerbs {
  const write = (): void => {
    // It may be lost, and waits on where the store cannot write now.
    queue.write(() => undefined).catch(() => undefined);
  };
  let timer: NodeJS.Timeout | undefined;
  const writeSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      write();
    }, lag).unref();
  };
  return {
    beginLoginAttempt: (programme, account, policy, now) =>
      queue.read(() => {
        const answer = attempts.begin(programme, account, policy, now);
        if (answer.allowed) writeSoon();
        else if (answer.retryAfter === policy.lock) write();
        return answer;
      }),
    endLoginAttempt: (programme, account, outcome, now) =>
      queue.read(() => {
        if (outcome === 'no_match') return;
        attempts.step(programme, account, (before) => endAttempt(before, outcome, now));
        writeSoon();
      }),
    unlockAccount: (programme, account) => {
      // The verb may run twice; what it forgets at first counts.
      let was = false;
      return queue.writeFromReserve(() => {
        was = attempts.forget(programme, account) || was;
        return was;
      });
    },
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
  readonly drop: (programme: string, account: string) => void;
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
    drop: (programme, account) => void remove.run(programme, account),
  };
}

function nameOf(programme: string, account: string): string {
  return `${programme}\0${account}`;
}
