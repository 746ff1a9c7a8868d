// Owns the memory store's verbs for its own keeping: time, key check, node numbers; and gateways.

import type { Instant } from '../../lib/clock.ts';
import { frozenCopy } from '../../lib/frozen.ts';
import type { Gateway } from '../../oauth/gateway.ts';
import type { Store } from '../contract.ts';
import { sameGateway } from '../judgement.ts';
import type { Keeping } from '../keeping.ts';
import { type NodeLease, nextLease } from '../node_leases.ts';
import { MemoryTable } from './table.ts';

type GatewayVerbs = Pick<
  Store,
  'addGateway' | 'findGateway' | 'listGateways' | 'changeGateway' | 'removeGateway'
>;

/** The gateways' verbs over a table of their own. */
export function memoryGateways(): GatewayVerbs {
  const gateways = new MemoryTable<Gateway>();
  return {
    async addGateway(gateway) {
      const { programme, id } = gateway;
      if (gateways.get(programme, id) !== undefined) return 'taken';
      gateways.set(programme, id, frozenCopy(gateway));
      return 'added';
    },
    async findGateway(programme, id) {
      return gateways.get(programme, id);
    },
    async listGateways(programme) {
      return gateways.filter((gateway) => gateway.programme === programme);
    },
    async changeGateway(programme, id, change) {
      const before = gateways.get(programme, id);
      if (before === undefined) return undefined;
      const after = frozenCopy(sameGateway(before, change(before)));
      gateways.set(programme, id, after);
      return after;
    },
    async removeGateway(programme, id) {
      if (gateways.get(programme, id) === undefined) return false;
      gateways.delete(programme, id);
      return true;
    },
  };
}

type KeepingVerbs = Omit<Keeping, 'recordSecretUse' | 'secretUses' | 'sweep'>;

/** `endLaterThan` ends what was issued later than a time that is accepted; `isBack`: than before. */
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
