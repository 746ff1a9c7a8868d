// Owns the memory store: the whole contract in this process; nothing outlives it.

import type { Store } from '../contract.ts';
import { attemptVerbs } from '../login_attempts.ts';
import { countInProcess } from '../windows.ts';
import { MemoryGrants } from './grants.ts';
import { memoryKeeping } from './keeping.ts';
import { memoryAttempts } from './login_attempts.ts';
import { memoryRegistry } from './registry.ts';
import { MemoryRevocations } from './revocations.ts';

/** A store that forgets everything with the process, for tests and `jetway dev`. */
export function createMemoryStore(): Store {
  const revocations = new MemoryRevocations();
  const attempts = memoryAttempts();
  const grants = new MemoryGrants(revocations, attempts);
  return Object.assign(grants, {
    ...attemptVerbs(attempts),
    count: countInProcess(),
    ...memoryRegistry(revocations),
    ...memoryKeeping((now, isBack) => {
      grants.endLaterThan(now);
      if (isBack) attempts.forgetAll();
    }),
  });
}
