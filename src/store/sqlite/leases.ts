// Owns the node numbers of the processes that have a store file open.

import type { DatabaseSync } from 'node:sqlite';

import type { Keeping } from '../keeping.ts';
import { factsText, isFresh, leasedNodes, nextLease, type NodeLease } from '../node_leases.ts';
import type { CommitQueue } from './commits/commit_queue.ts';

interface LeaseVerbs extends Pick<Keeping, 'leaseNode' | 'nodes'> {
  /** Ends what was told to `nodes` by this store; to be called before the queue is closed. */
  readonly fallSilent: () => void;
}

export function nodeLeases(database: DatabaseSync, queue: CommitQueue): LeaseVerbs {
  const columns = 'node, holder, expires_at AS expiresAt, facts';
  const own = database.prepare(`SELECT ${columns} FROM node_lease WHERE holder = ?`);
  const all = database.prepare(`SELECT ${columns} FROM node_lease ORDER BY node`);
  const put = database.prepare(
    'REPLACE INTO node_lease (node, holder, expires_at, facts) VALUES (?, ?, ?, ?)',
  );
  const silence = database.prepare('UPDATE node_lease SET facts = NULL WHERE holder = ?');
  const leases = (): readonly NodeLease[] => all.all() as unknown as NodeLease[];
  const holders = new Set<string>();
  return {
    leaseNode: async (now, holder, facts) => {
      const wanted = { holder, facts: factsText(facts) };
      const held = await queue.read(() => own.get(holder) as NodeLease | undefined);
      if (isFresh(held, wanted, now)) return held.node;
      if (facts !== undefined) holders.add(holder);
      return queue.writeFromReserve(() => {
        const lease = nextLease(leases(), wanted, now);
        put.run(lease.node, lease.holder, lease.expiresAt, lease.facts);
        return lease.node;
      });
    },
    nodes: (now) => queue.read(() => leasedNodes(leases(), now)),
    // The number stays taken: tokens may have been named ahead of the clock.
    fallSilent: () => {
      for (const holder of holders) {
        queue.writeFromReserve(() => silence.run(holder)).catch(() => undefined);
      }
      holders.clear();
    },
  };
}
