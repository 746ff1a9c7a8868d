// Owns the node numbers of processes that share a store file.

import type { DatabaseSync } from 'node:sqlite';

import type { Store } from '../contract.ts';
import { isFresh, nextLease, type NodeLease } from '../node_leases.ts';
import type { CommitQueue } from './commits/commit_queue.ts';

/** The verb that leases a node number. */
export function fileNodes(database: DatabaseSync, queue: CommitQueue): Pick<Store, 'leaseNode'> {
  const columns = 'node, holder, expires_at AS expiresAt';
  const own = database.prepare(`SELECT ${columns} FROM node_lease WHERE holder = ?`);
  const all = database.prepare(`SELECT ${columns} FROM node_lease ORDER BY node`);
  const put = database.prepare(
    'REPLACE INTO node_lease (node, holder, expires_at) VALUES (?, ?, ?)',
  );
  return {
    async leaseNode(now, holder) {
      const held = await queue.read(() => own.get(holder) as NodeLease | undefined);
      if (isFresh(held, holder, now)) return held.node;
      return queue.writeFromReserve(() => {
        const lease = nextLease(all.all() as unknown as NodeLease[], holder, now);
        put.run(lease.node, lease.holder, lease.expiresAt);
        return lease.node;
      });
    },
  };
}
