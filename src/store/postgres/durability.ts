// Owns whether a commit is on more than one disk when it is answered: what the primary is set to.

import { StoreUnusable } from '../unusable.ts';
import type { Link } from './link/link.ts';
import type { PostgresLocation } from './location.ts';

/** How many standbys each commit waits for. */
export async function replicasOf(link: Pick<Link, 'run'>): Promise<number> {
  const [row = []] = await link.run(read, []);
  return replicasIn(String(row[0] ?? ''));
}

const read = {
  name: 'jetway_standbys',
  text: `SELECT current_setting('synchronous_standby_names')`,
  isRead: true,
} as const;

/** Forms: `ANY 1 (a, b)`, `FIRST 2 (a, b)`, `2 (a, b)`, and `a, b` or `*`, which waits for one. */
export function replicasIn(names: string): number {
  if (names.trim() === '') return 0;
  return Number(/^\s*(?:(?:any|first)\s+)?(\d+)\s*\(/i.exec(names)?.[1] ?? 1);
}

/** @throws StoreUnusable where the location states more standbys than commits wait for (`?replicas=`) */
export async function expectReplicas(
  link: Pick<Link, 'run'>,
  name: string,
  { replicas }: PostgresLocation,
): Promise<void> {
  if (replicas === undefined) return;
  const found = await replicasOf(link);
  if (found >= replicas) return;
  throw new StoreUnusable(
    `store ${name}: commits wait for ${found} standbys, and replicas=${replicas} is configured`,
    "set synchronous_standby_names at the primary, such as 'ANY 1 (a, b)', or lower replicas in the URL",
  );
}

/** What `live` is warned of. */
export const oneDisk =
  'commits are on one disk alone: no synchronous standby (synchronous_standby_names is empty at the primary)';
