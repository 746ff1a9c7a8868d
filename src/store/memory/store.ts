// Owns the memory store: the whole contract inside one process, which loses all of it when it ends.

import type { Store } from '../contract.ts';
import { attemptVerbs } from '../login_attempts.ts';
import { countInProcess } from '../windows.ts';
import { MemoryGrants } from './grants.ts';
import { memoryKeeping } from './keeping.ts';
import { memoryTexts } from './kept_texts.ts';
import { memoryAttempts } from './login_attempts.ts';
import { memoryRegistry } from './registry.ts';
import { MemoryRevocations } from './revocations.ts';
import { dropLaterThan, memorySweep } from './sweep.ts';
import { grantTables } from './tables.ts';

/** A store that forgets everything with the process, for tests and `jetway dev`. */
export function createMemoryStore(): Store {
  const revocations = new MemoryRevocations();
  const attempts = memoryAttempts();
  const tables = grantTables();
  const { sweepTexts, setBackTexts, ...texts } = memoryTexts(revocations);
  const { setBack, setBackUses, ...registry } = memoryRegistry(revocations);
  return Object.assign(new MemoryGrants(tables, revocations), {
    ...attemptVerbs(attempts),
    count: countInProcess(),
    ...registry,
    ...texts,
    sweep: memorySweep(tables, [
      (now, limit) => revocations.sweep(now, limit),
      (now, limit) => attempts.sweep(now, limit),
      sweepTexts,
    ]),
    ...memoryKeeping((now, recorded) => {
      setBack(now, recorded);
      setBackUses(now);
      dropLaterThan(tables, now);
      const { forgotten } = revocations;
      if (forgotten > now) tables.logins.remove(({ endsAt }) => endsAt <= forgotten);
      revocations.accept(now);
      if (now >= recorded) return;
      attempts.forgetAll();
      setBackTexts(now, recorded);
    }),
  });
}
