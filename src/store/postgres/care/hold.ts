// Owns keeping servers off a PostgreSQL store while it is replaced, and emptying it.

import { everything } from '../../carry/tables.ts';
import { StoreUnusable } from '../../unusable.ts';
import type { Session } from './session.ts';

const tableNames = [...everything.map(({ name }) => name), 'meta', 'epoch', 'node_lease'];

/**
 * Locks all tables until the transaction ends, in which this is the first statement: nobody writes
 * meanwhile, and a server that starts waits.
 * @throws StoreUnusable where servers run
 */
export async function holdAlone(session: Session): Promise<void> {
  await session.run(`LOCK TABLE ${tableNames.join(', ')} IN EXCLUSIVE MODE`);
  const names = await runningServers(session);
  if (names.length === 0) return;
  throw new StoreUnusable(
    `store ${session.name} is in use by ${names.join(', ')}`,
    'stop the servers; one that was killed counts for two minutes more',
  );
}

/** The names of the servers whose leases hold. */
async function runningServers({ run }: Session): Promise<readonly string[]> {
  const rows = await run(
    `SELECT coalesce(facts::json ->> 'name', holder) FROM node_lease
     WHERE facts IS NOT NULL AND expires_at > extract(epoch FROM clock_timestamp()) * 1000 ORDER BY node`,
  );
  return rows.map(([name]) => String(name));
}

/** Removes all rows; the store keeps its tables and its `meta`. */
export async function emptyStore({ run }: Session): Promise<void> {
  await run(`TRUNCATE ${everything.map(({ name }) => name).join(', ')} RESTART IDENTITY`);
  await endLeases(run);
}

/** Node numbers are free again, and no outage is counted from them. */
export async function endLeases(run: Session['run']): Promise<void> {
  await run(
    `UPDATE node_lease SET holder = NULL, expires_at = 0, facts = NULL, beat_at = NULL
     WHERE holder IS NOT NULL`,
  );
}

/** A plan that was made for an empty table reads all of it: whoever fills tables has them analysed. */
export async function analyse({ run }: Session): Promise<void> {
  await run(`ANALYZE ${tableNames.join(', ')}`);
}
