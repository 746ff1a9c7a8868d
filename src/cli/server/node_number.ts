// Owns this process's number among those that share its store.

import type { Clock } from '../../lib/clock.ts';
import { randomKey } from '../../lib/random.ts';
import type { Store } from '../../store/contract.ts';

export interface NodeNumber {
  readonly current: () => number;
  /** To be called every second; the number changes only for a process that slept through its lease. */
  readonly renew: () => Promise<void>;
}

/** Leases a number of the store; a process that is started again is another holder. */
export async function openNodeNumber(store: Store, clock: Clock): Promise<NodeNumber> {
  const holder = randomKey(12);
  let number = await store.leaseNode(clock.now(), holder);
  return {
    current: () => number,
    renew: async () => {
      number = await store.leaseNode(clock.now(), holder);
    },
  };
}
