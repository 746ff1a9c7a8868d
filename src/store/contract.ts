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
 * The folder verbs/ makes the verbs of all four contracts over a driver of statements (sql/db.ts), but for
 * health and close, which a backend writes by hand beside how it records the time (`RecordedTime`). `count` is
 * made by windows.ts in the process. A backend across a network writes its own, so that several machines share
 * one count; and a node number is renewed there by its heartbeat.
 *
 * Verbs that look alike and stay apart, each for a promise:
 * - `change` beside `changeAll`: a change of one item can end its owner's tokens in the same step (FAULTS 28);
 * - `startLogin` beside `spendCode`: only a code is judged when it is spent, and a replay revokes (RFC 6749 4.1.2);
 * - `findAttempts` beside `countLocked`: the number of locked accounts is read without reading their keys;
 * - `findKept` beside `keepText`: a token's own form is found without being written; an assertion is judged by
 *   the write alone, so that of any number at once one is used (RFC 7523 3).
 *
 * Each backend adds itself to open.ts and runs the suite of test/store/contract.ts.
 */
export interface Store extends Registry, Grants, Counters, Keeping {}
