// Owns the Store contract: the four contracts that every backend keeps together.

import type { Counters } from './counters.ts';
import type { Grants } from './grants.ts';
import type { Keeping } from './keeping.ts';
import type { Registry } from './registry.ts';

export type Environment = 'staging' | 'live';

/**
 * Where clients, members, codes, tokens and keys are kept. Every verb is atomic and, in a durable
 * backend, resolves only once what it reports is durable. A backend that cannot answer rejects
 * with `Unavailable` (oauth/failure.ts), never with a made-up outcome. Nothing is found past its
 * `expiresAt`; the caller's clock judges, through `now`.
 *
 * A backend writes by hand, with the judgements of judgement.ts and node_leases.ts:
 * - 6 verbs of `Grants`;
 * - the 10 verbs of `Keeping`.
 *
 * Shared code makes the other 22 verbs from less:
 * - 7 verbs of `Grants` (logins and codes), by verbs/ over a driver of its statements (sql/db.ts);
 * - the 9 verbs of `Registry`, by verbs/items.ts over the same driver, for any kind (kinds.ts);
 * - the 5 verbs of login attempts, by login_attempts.ts from find, change and countLocked;
 * - `count`, by windows.ts in the process. A backend across a network writes its own, so that several
 *   machines share one count.
 *
 * Each backend adds itself to open.ts and runs the suite of test/store/contract.ts.
 */
export interface Store extends Registry, Grants, Counters, Keeping {}
