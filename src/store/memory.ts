// Owns the memory store: the whole contract in this process; nothing outlives it.

import type { Store } from './contract.ts';
import { memoryClients } from './memory_clients.ts';
import { MemoryGrants } from './memory_grants.ts';
import { memoryMembers, memorySigningKeys } from './memory_registrations.ts';
import { memoryGateways, MemoryLoginAttempts, memoryRest } from './memory_rest.ts';
import { MemoryRevocations } from './memory_revocations.ts';

/** A store that forgets everything with the process, for tests and `jetway dev`. */
export function createMemoryStore(): Store {
  const revocations = new MemoryRevocations();
  const attempts = new MemoryLoginAttempts();
  const grants = new MemoryGrants(revocations, attempts);
  return Object.assign(grants, {
    beginLoginAttempt: attempts.beginLoginAttempt.bind(attempts),
    endLoginAttempt: attempts.endLoginAttempt.bind(attempts),
    loginAttempts: attempts.loginAttempts.bind(attempts),
    unlockAccount: attempts.unlockAccount.bind(attempts),
    ...memoryClients(revocations),
    ...memoryMembers(revocations),
    ...memorySigningKeys(),
    ...memoryGateways(),
    ...memoryRest((now, isBack) => {
      grants.endLaterThan(now);
      if (isBack) attempts.forgetAll();
    }),
  });
}
