// Owns the rows of login attempts in PostgreSQL: each attempt is counted there before it is answered, in
// one count for all nodes (HOSTILE 18).

import type { Digest } from '../../lib/digest.ts';
import { inTurn } from '../../lib/turn.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { Unavailable } from '../../oauth/failure.ts';
import type { AttemptChange, AttemptRows, AttemptState } from '../login_attempts.ts';
import { type AttemptRow, attemptRow, attemptState } from '../sql/attempt_rows.ts';
import { from, partReader } from '../sql/parts.ts';
import type { Value } from '../sql/table.ts';
import { loginAttempts } from '../sql/tables.ts';
import { batched, untilKnown } from './link/batch.ts';
import type { Link } from './link/link.ts';
import type { Statement } from './link/statement.ts';
import { arrayRows, tableRows } from './tables.ts';

interface Account {
  readonly programme: ProgrammeId;
  readonly key: Digest;
}

const accounts = arrayRows({ programme: 'text', key: 'text' });
const parts = partReader({ row: from(loginAttempts, 'login_attempt') });

const find: Statement = {
  name: 'find_attempts',
  text: `SELECT asked.n, ${parts.columns} FROM ${accounts.from('asked')}
    JOIN login_attempt USING (programme, key)`,
  isRead: true,
};

const rows = tableRows(loginAttempts);
const before = arrayRows({ was: 'bigint' });

const put: Statement = {
  name: 'put_attempts',
  // Only over the row that was judged; `was` is its sum, null where there was none. The row that an
  // earlier run has written is this very one.
  text: `WITH asked AS (
      SELECT * FROM ${rows.from('asked_row')} JOIN ${before.from('asked_before', rows.length + 1)} USING (n)
    ), added AS (
      INSERT INTO login_attempt (${rows.names.join(', ')})
      SELECT ${rows.names.join(', ')} FROM asked WHERE was IS NULL ON CONFLICT DO NOTHING
      RETURNING programme, key
    ), changed AS (
      UPDATE login_attempt SET used = asked.used, window_ends_at = asked.window_ends_at,
        locked_until = asked.locked_until, sum = asked.sum
      FROM asked WHERE login_attempt.programme = asked.programme AND login_attempt.key = asked.key
        AND was IS NOT NULL AND login_attempt.sum = asked.was
      RETURNING asked.programme, asked.key
    )
    SELECT programme, key FROM added UNION ALL SELECT programme, key FROM changed`,
  isRead: false,
};

const was = arrayRows({ programme: 'text', key: 'text', was: 'bigint' });

const remove: Statement = {
  name: 'remove_attempts',
  text: `DELETE FROM login_attempt USING ${was.from('asked')}
    WHERE login_attempt.programme = asked.programme AND login_attempt.key = asked.key
      AND login_attempt.sum = asked.was
    RETURNING asked.programme, asked.key`,
  isRead: false,
};

const locked: Statement = {
  name: 'count_locked',
  text: 'SELECT count(*) FROM login_attempt WHERE programme = $1 AND locked_until > $2',
  isRead: true,
};

interface Write extends Account {
  readonly was: number | null;
  readonly state: AttemptState | undefined;
}

/** Changes of other nodes may be faster this often. */
const mostTries = 50;
const notKnown = 'store: it is not known whether a login attempt was counted';
const tooFast = 'store: an account is tried faster than its attempts can be counted';

interface Waiting {
  readonly change: AttemptChange<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function attemptRows(link: Link, care: Link): AttemptRows {
  const look = batched<Account, AttemptRow | undefined>({
    link,
    answer: async (asked, until) => {
      const found = await link.run(find, accounts.values(asked), until);
      const held = new Map(
        found.map(([n, ...columns]) => [Number(n), parts.read(columns as Value[]).row]),
      );
      return asked.map((_, index) => held.get(index + 1));
    },
  });
  const write = batched<Write, boolean | undefined>({
    link,
    rowOf: nameOf,
    answer: async (asked, until) => {
      const { result, wasUnknown } = await untilKnown(until, () => writeAll(link, asked, until));
      return asked.map((one) => result.has(nameOf(one)) || (wasUnknown ? undefined : false));
    },
  });
  /** The changes of an account that wait, in order; while there are any, one loop applies them. */
  const waiting = new Map<string, Waiting[]>();
  /** Applies what waits to the row in one write; false where the row was another by then. */
  const apply = async (account: Account, batch: readonly Waiting[]): Promise<boolean> => {
    const row = await look(account);
    const found = attemptState(row);
    let state = found;
    const answers = batch.map(({ change }) => {
      const made = change(state);
      ({ state } = made);
      return made.answer;
    });
    const isAsItWas = state === found && (state !== undefined || row === undefined);
    const isWritten = isAsItWas || (await write({ ...account, was: row?.sum ?? null, state }));
    // To take the row away twice is to take it away; an attempt must not be given back twice.
    if (isWritten === undefined && state !== undefined) throw new Unavailable(notKnown);
    if (isWritten !== true) return false;
    for (const [index, { resolve }] of batch.entries()) resolve(answers[index]);
    return true;
  };
  const drain = async (account: Account, queue: Waiting[]): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0);
      try {
        let tries = 0;
        while (!(await apply(account, batch))) {
          tries += 1;
          if (tries === mostTries) throw new Unavailable(tooFast);
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    waiting.delete(nameOf(account));
  };
  return {
    find: async (programme, key) => attemptState(await look({ programme, key })),
    countLocked: async (programme, now) => {
      const [[count] = [0]] = await care.run(locked, [programme, now]);
      return Number(count);
    },
    change: (programme, key, change) =>
      new Promise((resolve, reject) => {
        const account = { programme, key };
        const name = nameOf(account);
        const one: Waiting = { change, resolve: resolve as Waiting['resolve'], reject };
        const queue = waiting.get(name);
        queue?.push(one);
        if (queue !== undefined) return;
        const begun = [one];
        waiting.set(name, begun);
        // Those of the same turn share the write.
        inTurn('commits', () => void drain(account, begun));
      }),
  };
}

async function writeAll(
  link: Link,
  asked: readonly Write[],
  until: number,
): Promise<ReadonlySet<string>> {
  const kept = asked.flatMap(({ programme, key, was: sum, state }) =>
    state === undefined ? [] : [{ was: sum, row: attemptRow(programme, key, state) }],
  );
  const gone = asked.filter(({ state }) => state === undefined);
  const values = [...rows.values(kept.map(({ row }) => row)), ...before.values(kept)];
  const written = [
    ...(kept.length > 0 ? await link.run(put, values, until) : []),
    ...(gone.length > 0 ? await link.run(remove, was.values(gone), until) : []),
  ];
  return new Set(written.map(([programme, key]) => `${String(programme)}\0${String(key)}`));
}

function nameOf({ programme, key }: Account): string {
  return `${programme}\0${key}`;
}
