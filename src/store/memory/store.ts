// Owns the memory store: the whole contract in this process; nothing outlives it.

import type { Store } from '../contract.ts';
import { memoryClients } from './clients.ts';
import { MemoryGrants } from './grants.ts';
import { memoryMembers, memorySigningKeys } from './registrations.ts';
import { memoryGateways, MemoryLoginAttempts, memoryRest } from './rest.ts';
import { MemoryRevocations } from './revocations.ts';

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
