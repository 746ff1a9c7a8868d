// Owns the memory store's verbs for its own keeping: time, key check, node numbers.

import type { Instant } from '../../lib/clock.ts';
import type { Keeping } from '../keeping.ts';
import { type NodeLease, nextLease } from '../node_leases.ts';

type KeepingVerbs = Omit<Keeping, 'recordSecretUse' | 'secretUses' | 'sweep'>;

/** `endLaterThan` ends grants issued later than an accepted time; `isBack` if that is before the recorded time. */
export function memoryKeeping(endLaterThan: (now: Instant, isBack: boolean) => void): KeepingVerbs {
  const leases = new Map<number, NodeLease>();
  let recorded: Instant | undefined;
  let keyCheck: string | undefined;
  return {
    async time() {
      // No other process has the store.
      return { recorded, current: undefined, acceptedElsewhere: undefined };
    },
    async recordTime(now) {
      if (recorded === undefined || recorded < now) recorded = now;
    },
    async acceptTime(now) {
      const isBack = recorded !== undefined && now < recorded;
      if (isBack) leases.clear();
      recorded = now;
      endLaterThan(now, isBack);
    },
    async leaseNode(now, holder) {
      const lease = nextLease([...leases.values()], holder, now);
      leases.set(lease.node, lease);
      return lease.node;
    },
    async ensureKeyCheck(candidate) {
      // Keys and store live as long as the process, under its one master key.
      keyCheck ??= candidate;
      return keyCheck;
    },
    health: () => ({ status: 'ready' }),
    async close() {},
  };
}
