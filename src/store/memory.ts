// Owns the memory store: the whole contract in this process; nothing outlives it.

import type { Store } from './contract.ts';
import { MemoryGrants } from './memory_grants.ts';
import { memoryClients, memoryMembers, memorySigningKeys } from './memory_registrations.ts';
import { ThrottleCounter } from './throttle_counter.ts';

/** A store that forgets everything with the process, for tests and `jetway dev`. */
export function createMemoryStore(): Store {
  const throttles = new ThrottleCounter();
  const rest: Pick<Store, 'countTokenRequest' | 'close'> = {
    async countTokenRequest(programme, client, throttle, now) {
      return throttles.count(programme, client, throttle, now);
    },
    async close() {},
  };
  return Object.assign(new MemoryGrants(), {
    ...memoryClients(),
    ...memoryMembers(),
    ...memorySigningKeys(),
    ...rest,
  });
}
