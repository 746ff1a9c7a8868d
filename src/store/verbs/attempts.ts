// Owns the verbs of login attempts: each attempt is counted before it is answered, in one count for all
// processes (HOSTILE 18). login_attempts.ts decides what an attempt changes.

import type { Digest } from '../../lib/digest.ts';
import { present } from '../../lib/present.ts';
import { inTurn } from '../../lib/turn.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { Unavailable } from '../../oauth/failure.ts';
import type { Counters } from '../counters.ts';
import {
  type AttemptChange,
  type AttemptState,
  attemptsEndAt,
  reserveAttempt,
  settleAttempt,
} from '../login_attempts.ts';
import type { Db } from '../sql/db.ts';
import { from, partReader } from '../sql/parts.ts';
import { insertText, statement } from '../sql/statement.ts';
import { type RowOf, sumOf, withSum } from '../sql/table.ts';
import { loginAttempts } from '../sql/tables.ts';
import { untilDone } from './tries.ts';

const { columns, key: row } = loginAttempts;
const isNamed = 'login_attempt.programme = :programme AND login_attempt.key = :key';
const parts = partReader({ row: from(loginAttempts, 'login_attempt') });

const find = statement(
  'find_attempt',
  columns,
  `SELECT ${parts.columns} FROM login_attempt WHERE ${isNamed}`,
);

const add = statement(
  'add_attempt',
  columns,
  insertText(loginAttempts, 'ON CONFLICT (programme, key) DO NOTHING'),
  { row },
);

/** The row that was judged. */
const isBefore = `${isNamed} AND login_attempt.sum = :before`;
const types = { before: 'integer' } as const;

const replace = statement(
  'change_attempt',
  columns,
  `UPDATE login_attempt SET used = :used, window_ends_at = :window_ends_at, locked_until = :locked_until,
    sum = :sum WHERE ${isBefore}`,
  { row, types },
);

const remove = statement(
  'remove_attempt',
  columns,
  `DELETE FROM login_attempt WHERE ${isBefore}`,
  // On a full disk an operator can unlock an account. No attempt is counted then, so none is allowed
  // (FAULTS 4, HOSTILE 63): the reserve is not for attempts, since a login has a code to write as well.
  { row, types, isUrgent: true },
);

const locked = statement(
  'count_locked',
  columns,
  `SELECT count(*) FROM login_attempt
    WHERE login_attempt.programme = :programme AND login_attempt.locked_until > :now`,
  { types: { now: 'integer' } },
);

type AttemptRow = RowOf<typeof loginAttempts>;

interface Account {
  readonly programme: ProgrammeId;
  readonly key: Digest;
}

interface Waiting {
  readonly change: AttemptChange<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const notKnown = 'store: it is not known whether a login attempt was counted';
const tooFast = 'an account is tried faster than its attempts can be counted';

export function attemptVerbs(db: Db): Omit<Counters, 'count'> {
  const rows = db.reader(find, (read) => parts.read(read).row);
  const [put, change, drop] = [db.writer(add), db.writer(replace), db.writer(remove)];
  const countLocked = db.bulkReader(locked, ([[count] = [0]]) => Number(count));

  const write = (account: Account, found: AttemptRow | undefined, state?: AttemptState) => {
    const before = found?.sum ?? null;
    if (state === undefined) return drop({ ...account, before });
    const values = withSum(loginAttempts, attemptRow(account, state));
    return found === undefined ? put(values) : change({ ...values, before });
  };
  /** Applies what waits to the row in one write; false where the row was another by then. */
  const apply = async (account: Account, batch: readonly Waiting[]): Promise<boolean> => {
    const found = await rows.find({ ...account });
    const before = attemptState(found);
    let state = before;
    const answers = batch.map((one) => {
      const made = one.change(state);
      ({ state } = made);
      return made.answer;
    });
    const isAsItWas = state === before && (state !== undefined || found === undefined);
    // A lock that stands changes no row. What cannot be counted is refused all the same, so that a full
    // disk does not tell which accounts are locked (FAULTS 4, HOSTILE 63).
    if (isAsItWas) await db.expectWritable();
    const isWritten = isAsItWas || (await write(account, found, state));
    if (isWritten === false) return false;
    if (isWritten === undefined) {
      // A row that is gone was taken away. What stands there now may be counted since: an attempt must not be
      // given back twice.
      const isGone = state === undefined && (await rows.find({ ...account })) === undefined;
      if (!isGone) throw new Unavailable(notKnown);
    }
    for (const [index, { resolve }] of batch.entries()) resolve(answers[index]);
    return true;
  };
  /** The changes of an account that wait, in order; while there are any, one loop applies them. */
  const waiting = new Map<string, Waiting[]>();
  const drain = async (name: string, account: Account, queue: Waiting[]): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0);
      try {
        await untilDone(tooFast, async () => (await apply(account, batch)) || undefined);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    waiting.delete(name);
  };
  const apart = <T>(programme: ProgrammeId, key: Digest, made: AttemptChange<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const name = `${programme}\0${key}`;
      const one: Waiting = { change: made, resolve: resolve as Waiting['resolve'], reject };
      const queue = waiting.get(name);
      queue?.push(one);
      if (queue !== undefined) return;
      const begun = [one];
      waiting.set(name, begun);
      // Those of the same turn share the write.
      inTurn('requests', () => void drain(name, { programme, key }, begun));
    });
  return {
    reserveAttempt: (programme, account, policy, now) =>
      apart(programme, account, (before) => reserveAttempt(before, policy, now)),
    settleAttempt: async (programme, account, outcome, now) => {
      // The reserved attempt stays counted.
      if (outcome === 'no_match') return true;
      return apart(programme, account, (before) => ({
        state: settleAttempt(before, outcome, now),
        answer: before !== undefined,
      }));
    },
    findAttempts: async (programme, key, now) => {
      const state = attemptState(await rows.find({ programme, key }));
      if (state === undefined || now >= attemptsEndAt(state)) return { failures: 0 };
      return present({ failures: state.used, lockedUntil: state.lockedUntil });
    },
    countLocked: async (programme, now) => {
      const [count = 0] = await countLocked([{ programme, now }]);
      return count;
    },
  };
}

function attemptRow(
  { programme, key }: Account,
  { used, windowEndsAt, lockedUntil }: AttemptState,
): Omit<AttemptRow, 'sum'> {
  return { programme, key, used, window_ends_at: windowEndsAt, locked_until: lockedUntil ?? null };
}

/**
 * The state of a row; undefined where there is none or it is damaged. A damaged count begins anew: it must
 * not keep its member out, nor hold back others' commits.
 */
function attemptState(found: AttemptRow | undefined): AttemptState | undefined {
  if (found === undefined || sumOf(loginAttempts, found) !== found.sum) return undefined;
  const { used, window_ends_at, locked_until } = found;
  const state = { used, windowEndsAt: window_ends_at };
  return locked_until === null ? state : { ...state, lockedUntil: locked_until };
}
