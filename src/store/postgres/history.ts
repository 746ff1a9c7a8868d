// Owns noticing that a database was brought back to an earlier time by its own means: codes that were
// spent since would be unspent again (docs/decisions/043).

import { type Instant, milliseconds } from '../../lib/clock.ts';
import { StoreUnusable } from '../unusable.ts';
import { databaseNow } from './clock.ts';
import type { Link } from './link/link.ts';
import type { Cluster } from './link/primary.ts';

/** The value of `meta` by which another cluster, or another history of it, is known. */
function clusterText(cluster: Cluster | undefined): string {
  return cluster === undefined ? '' : `${cluster.identifier} ${cluster.timeline}`;
}

/**
 * A standby that was promoted has a new timeline as well. Servers record the time every few seconds: a
 * time that is further behind was lost, or nobody served for so long.
 */
const longestPromotion = milliseconds(120_000);

type Runner = Pick<Link, 'run'>;

/**
 * Refuses a cluster that was brought back. Of another history than the recorded one a promoted standby is
 * taken for the store's own; `keepHistory` records it.
 * @throws StoreUnusable, Unavailable
 */
export async function expectOwnHistory(
  link: Runner,
  name: string,
  cluster: Cluster | undefined,
): Promise<void> {
  const [row = []] = await link.run(read, []);
  const [known, recorded, now] = row as [string | null, number | null, Instant];
  const found = clusterText(cluster);
  const behind = recorded === null ? 0 : now - recorded;
  if (known === null || known === found || behind <= longestPromotion) return;
  const minutes = Math.round(behind / 60_000);
  throw new StoreUnusable(
    `store ${name} may have been brought back to an earlier time: its database has another history (${found}, before ${known}), and the last time in it is ${new Date(recorded ?? 0).toISOString()}, ${minutes} minutes ago. Codes spent and tokens revoked since would be valid again`,
    'jetway store restore --in-place --yes voids all codes and tokens; where a standby was promoted after a long outage and nothing is lost, add --keep-granted',
  );
}

/** Records the history that the store goes on with. */
export async function keepHistory(link: Runner, cluster: Cluster | undefined): Promise<void> {
  await link.run(keep, [clusterText(cluster)]);
}

const read = {
  name: 'jetway_history',
  // The database's own clock, where it is recorded: that of the servers may be ahead by more than was lost.
  text: `SELECT (SELECT value FROM meta WHERE name = 'cluster'),
    (SELECT value::bigint FROM meta WHERE name IN ('recorded_time', 'recorded_clock') ORDER BY name LIMIT 1),
    ${databaseNow}`,
  isRead: true,
} as const;

const keep = {
  name: 'jetway_cluster',
  // Mostly it is there already, and nothing is to be committed.
  text: `INSERT INTO meta (name, value) SELECT 'cluster', $1
    WHERE NOT EXISTS (SELECT FROM meta WHERE name = 'cluster' AND value = $1)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  isRead: false,
} as const;
