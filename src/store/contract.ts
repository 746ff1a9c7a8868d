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
 * A backend writes by hand 8 verbs of `Keeping`, with the judgements of node_leases.ts. The folder verbs/
 * makes the others over a driver of statements (sql/db.ts): the verbs of `Registry` for any kind (kinds.ts),
 * those of `Grants`, those of login attempts, and the uses of secrets. `count` is made by windows.ts in the
 * process. A backend across a network writes its own, so that several machines share one count.
 *
 * Each backend adds itself to open.ts and runs the suite of test/store/contract.ts.
 */
export interface Store extends Registry, Grants, Counters, Keeping {}
