// Owns the connection of a command that cares for a PostgreSQL store: one, to the primary, with
// transactions that may last.

import { milliseconds } from '../../../lib/clock.ts';
import type { Link } from '../link/link.ts';
import { type Cluster, Primary } from '../link/primary.ts';
import { serversOf } from '../link/servers.ts';
import type { Parameter, Rows } from '../link/statement.ts';
import { type PostgresLocation, postgresName } from '../location.ts';

/** Where a store is, and its password, asked at each connect. */
export interface StoreAccess {
  readonly location: PostgresLocation;
  readonly password?: () => string;
}

export interface Session {
  /** How messages name the store. */
  readonly name: string;
  readonly cluster: Cluster | undefined;
  /**
   * Runs one statement, by itself or as part of `transaction`.
   * @throws Refused, Unavailable
   */
  readonly run: (text: string, values?: readonly Parameter[]) => Promise<Rows>;
  /**
   * Runs `body` in a transaction that sees one moment, and commits it; rolls it back where `body` throws.
   * @throws OutcomeUnknown where the answer to the commit is lost; what `body` throws
   */
  readonly transaction: <Result>(body: () => Promise<Result>) => Promise<Result>;
  /** The same, for what is written for a link. */
  readonly link: Pick<Link, 'run'>;
  /** The first column of the first row. */
  readonly one: (text: string, values?: readonly Parameter[]) => Promise<Rows[number][number]>;
  readonly close: () => void;
}

/** A copy of many rows, or a vacuum in the way of a lock, may take so long. */
const patience = { statement: milliseconds(600_000), lock: milliseconds(10_000) };

/** @throws Unavailable where no primary answers */
export async function openSession({ location, password }: StoreAccess): Promise<Session> {
  const primary = new Primary({
    ...serversOf(location, password),
    // Each statement runs a few times at most.
    areStatementsNamed: false,
  });
  const connection = await primary.dial(patience, () => undefined);
  const run: Session['run'] = (text, values = []) =>
    connection.run({ name: '', text, isRead: false }, values, patience.statement);
  // A file is read or written between two statements. Whole tables are read: a scan is right.
  await run(
    `SELECT set_config('idle_in_transaction_session_timeout', '0', false),
      set_config('enable_seqscan', 'on', false), set_config('enable_hashjoin', 'on', false),
      set_config('plan_cache_mode', 'auto', false)`,
  );
  return {
    name: postgresName(location),
    cluster: primary.cluster,
    run,
    link: { run: ({ text }, values) => run(text, values) },
    one: async (text, values) => (await run(text, values))[0]?.[0] ?? null,
    transaction: async (body) => {
      await run('BEGIN ISOLATION LEVEL REPEATABLE READ');
      let result;
      try {
        result = await body();
      } catch (error) {
        // A lost connection has rolled back by itself.
        await run('ROLLBACK').catch(() => undefined);
        throw error;
      }
      await run('COMMIT');
      return result;
    },
    close: () => connection.end(),
  };
}

/** Runs `use` with a session, which ends with it. */
export async function withSession<Result>(
  access: StoreAccess,
  use: (session: Session) => Promise<Result>,
): Promise<Result> {
  const session = await openSession(access);
  try {
    return await use(session);
  } finally {
    session.close();
  }
}
