// Owns the rows of login attempts in PostgreSQL: each attempt is counted there before it is answered, in
// one count for all nodes (HOSTILE 18).

import type { Instant } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { Unavailable } from '../../oauth/failure.ts';
import type { AttemptChange, AttemptRows, AttemptState } from '../login_attempts.ts';
import { from, partReader } from '../sql/parts.ts';
import { type RowOf, sumOf, type Value } from '../sql/table.ts';
import { loginAttempts } from '../sql/tables.ts';
import { batched, untilKnown } from './link/batch.ts';
import type { Link } from './link/link.ts';
import type { Statement } from './link/statement.ts';
import { arrayRows, tableRows } from './tables.ts';

type Row = RowOf<typeof loginAttempts>;

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

interface Found {
  readonly row: Row | undefined;
  readonly state: AttemptState | undefined;
}

interface Write extends Account {
  readonly was: number | null;
  readonly state: AttemptState | undefined;
}

/** Changes of other nodes may be faster this often. */
const mostTries = 50;

export function attemptRows(link: Link, care: Link): AttemptRows {
  const look = batched<Account, Found>({
    link,
    answer: async (asked, until) => {
      const found = await link.run(find, accounts.values(asked), until);
      const states = new Map(
        found.map(([n, ...columns]) => [Number(n), foundIn(parts.read(columns as Value[]).row)]),
      );
      return asked.map((_, index) => states.get(index + 1) ?? { row: undefined, state: undefined });
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
  const change = async <T>(
    programme: ProgrammeId,
    key: Digest,
    make: AttemptChange<T>,
  ): Promise<T> => {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const { row, state: found } = await look({ programme, key });
      const { state, answer } = make(found);
      if (state === found && (state !== undefined || row === undefined)) return answer;
      const written = await write({ programme, key, was: row?.sum ?? null, state });
      // Counted twice, if it was written before: that errs to the safe side.
      if (written === true) return answer;
    }
    throw new Unavailable('store: an account is tried faster than its attempts can be counted');
  };
  // The attempts of this node at one account do not get into each other's way.
  const last = new Map<string, Promise<unknown>>();
  const inTurns = <T>(name: string, run: () => Promise<T>): Promise<T> => {
    const done = (last.get(name) ?? Promise.resolve()).then(run, run);
    const end = (): void => {
      if (last.get(name) === done) last.delete(name);
    };
    last.set(name, done);
    done.then(end, end);
    return done;
  };
  return {
    find: async (programme, key) => (await look({ programme, key })).state,
    countLocked: async (programme, now) => {
      const [[count] = [0]] = await care.run(locked, [programme, now]);
      return Number(count);
    },
    change: (programme, key, make) =>
      inTurns(nameOf({ programme, key }), () => change(programme, key, make)),
  };
}

async function writeAll(
  link: Link,
  asked: readonly Write[],
  until: number,
): Promise<ReadonlySet<string>> {
  const kept = asked.flatMap(({ programme, key, was: sum, state }) =>
    state === undefined ? [] : [{ was: sum, row: rowOf(programme, key, state) }],
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

/** A damaged count begins anew: it must not keep its member out. */
function foundIn(row: Row): Found {
  if (sumOf(loginAttempts, row) !== row.sum) return { row, state: undefined };
  const { used, window_ends_at: windowEndsAt, locked_until: lockedUntil } = row;
  const state = lockedUntil === null ? { used, windowEndsAt } : { used, windowEndsAt, lockedUntil };
  return { row, state };
}

function rowOf(
  programme: string,
  key: string,
  { used, windowEndsAt, lockedUntil }: AttemptState,
): Omit<Row, 'sum'> {
  return {
    programme,
    key,
    used,
    window_ends_at: windowEndsAt,
    locked_until: lockedUntil ?? (null as Instant | null),
  };
}
