// Owns the memory store's verbs for its own keeping: time, key check, node numbers.

import type { Instant } from '../../lib/clock.ts';
import type { Keeping } from '../keeping.ts';
import { factsText, leasedNodes, type NodeLease, nextLease } from '../node_leases.ts';

type KeepingVerbs = Omit<Keeping, 'recordSecretUse' | 'secretUses' | 'sweep'>;

/** `accept` ends what was issued later than an accepted time, which may be before the recorded time. */
export function memoryKeeping(accept: (now: Instant, recorded: Instant) => void): KeepingVerbs {
  const leases = new Map<number, NodeLease>();
  let recorded: Instant | undefined;
  let keyCheck: string | undefined;
  return {
    async time(now) {
      if (now !== undefined && (recorded === undefined || recorded < now)) recorded = now;
      // No other process has the store.
      return { recorded, current: undefined, acceptedElsewhere: undefined, outages: [] };
    },
    async acceptTime(now) {
      const before = recorded ?? now;
      if (now < before) leases.clear();
      recorded = now;
      accept(now, before);
    },
    async leaseNode(now, holder, facts) {
      const lease = nextLease([...leases.values()], { holder, facts: factsText(facts) }, now);
      leases.set(lease.node, lease);
      return lease.node;
    },
    nodes: async (now) => leasedNodes([...leases.values()], now),
    async ensureKeyCheck(candidate) {
      // Keys and store live as long as the process, under its one master key.
      keyCheck ??= candidate;
      return keyCheck;
    },
    health: () => ({ status: 'ready' }),
    async close() {},
  };
}
