// Owns the memory store: the whole contract in this process; nothing outlives it.

import type { Instant } from '../lib/clock.ts';
import type { Store } from './contract.ts';
import { memoryClients } from './memory_clients.ts';
import { MemoryGrants } from './memory_grants.ts';
import { memoryMembers, memorySigningKeys } from './memory_registrations.ts';
import { MemoryRevocations } from './memory_revocations.ts';
import { ThrottleCounter } from './throttle_counter.ts';

type RestVerbs = Pick<Store, 'recordedTime' | 'recordTime' | 'countTokenRequest' | 'close'>;

/** A store that forgets everything with the process, for tests and `jetway dev`. */
export function createMemoryStore(): Store {
  const revocations = new MemoryRevocations();
  const throttles = new ThrottleCounter();
  let recorded: Instant | undefined;
  const rest: RestVerbs = {
    async recordedTime() {
      return recorded;
    },
    async recordTime(now) {
      if (recorded === undefined || recorded < now) recorded = now;
    },
    async countTokenRequest(programme, client, throttle, now) {
      return throttles.count(programme, client, throttle, now);
    },
    async close() {},
  };
  return Object.assign(new MemoryGrants(revocations), {
    ...memoryClients(revocations),
    ...memoryMembers(revocations),
    ...memorySigningKeys(),
    ...rest,
  });
}
