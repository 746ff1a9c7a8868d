// Owns running verbs in SQLite transactions: together, or each by itself where one of them fails.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { inTurn } from '../../../lib/turn.ts';
import { asStoreError, isOutage } from './outage.ts';

/** Follows every transaction; adds small writes to transactions that others need anyway. */
export interface TransactionHook {
  /** The transaction holds the write lock. */
  readonly begun?: () => void;
  /** Writes here are part of the commit that follows; `changed` if the verbs have written. */
  readonly beforeCommit?: (changed: boolean) => void;
  /** What the last `beforeCommit` wrote is durable. */
  readonly committed?: () => void;
  /** Some writes since the last `begun` were rolled back. */
  readonly rolledBack?: () => void;
}

/** What a verb returned, or what it threw; after an error nothing of the verb stands. */
export type Settlement = { readonly value: unknown } | { readonly error: unknown };

type Verb = () => unknown;

/**
 * A statement that is run. Whatever it does, node tells the number of the row that the connection has inserted
 * last, and throws where a number of JavaScript cannot hold it: so it is after a row whose number is damaged
 * (FAULTS 36).
 */
export function prepareToRun(database: DatabaseSync, text: string): StatementSync {
  const made = database.prepare(text);
  made.setReadBigInts(true);
  return made;
}

/** Transactions on one connection. */
export class Transactions {
  readonly #database: DatabaseSync;
  readonly #hooks: TransactionHook[];
  readonly #statement: Readonly<
    Record<'look' | 'begin' | 'commit' | 'rollback' | 'changes', StatementSync>
  >;
  #commits = 0;
  #isReading = false;
  readonly #end = (): void => this.endRead();

  constructor(database: DatabaseSync, hooks: readonly TransactionHook[]) {
    this.#database = database;
    this.#hooks = [...hooks];
    this.#statement = {
      look: prepareToRun(database, 'BEGIN'),
      // IMMEDIATE takes the write lock first: what a verb reads cannot change before it writes,
      // whichever process asks (HOSTILE 26, 29).
      begin: prepareToRun(database, 'BEGIN IMMEDIATE'),
      commit: prepareToRun(database, 'COMMIT'),
      rollback: prepareToRun(database, 'ROLLBACK'),
      changes: database.prepare('SELECT total_changes() AS n'),
    };
  }

  /** Has a hook follow the transactions from now on. */
  follow(hook: TransactionHook): void {
    this.#hooks.push(hook);
  }

  /** How many transactions were committed so far. */
  get commits(): number {
    return this.#commits;
  }

  /**
   * Begins a read transaction that all reads of this turn share: a read by itself would take and give
   * back a lock and look whether the log has grown. The reads see what was committed when the first
   * of them began. A write ends the transaction. The step `requests` ends it too: a read before it, by
   * a timer say, is older than what those requests are to see.
   */
  read(): void {
    if (this.#isReading) return;
    this.#statement.look.run();
    this.#isReading = true;
    inTurn('requests', this.#end);
    inTurn('replies', this.#end);
  }

  /** Ends the transaction of the reads; call it before anything that needs the connection for itself. */
  endRead(): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    if (this.#database.isOpen && this.#database.isTransaction) this.#statement.commit.run();
  }

  /**
   * Runs the verbs in one transaction; if a verb fails, again with a savepoint for each verb. What is
   * returned is durable.
   * @throws whatever kept the whole transaction from being committed; nothing has changed then.
   */
  settle(verbs: readonly Verb[]): readonly Settlement[] {
    try {
      return this.#transaction(() => verbs.map((verb) => ({ value: verb() })));
    } catch (error) {
      if (isOutage(error)) throw error;
      if (verbs.length === 1) return [{ error: asStoreError(error) }];
      return this.#transaction(() => verbs.map((verb) => this.#apart(verb)));
    }
  }

  #apart(verb: Verb): Settlement {
    this.#database.exec('SAVEPOINT verb');
    try {
      const value = verb();
      this.#database.exec('RELEASE verb');
      return { value };
    } catch (error) {
      if (isOutage(error)) throw error;
      this.#database.exec('ROLLBACK TO verb; RELEASE verb');
      this.#rolledBack();
      return { error: asStoreError(error) };
    }
  }

  #transaction<T>(body: () => T): T {
    this.endRead();
    this.#statement.begin.run();
    try {
      for (const hook of this.#hooks) hook.begun?.();
      const before = this.#changes();
      const result = body();
      const changed = this.#changes() !== before;
      for (const hook of this.#hooks) hook.beforeCommit?.(changed);
      this.#statement.commit.run();
      this.#commits += 1;
      for (const hook of this.#hooks) hook.committed?.();
      return result;
    } catch (error) {
      // SQLite rolls back by itself after some errors (full, I/O) and not after others.
      if (this.#database.isTransaction) this.#statement.rollback.run();
      this.#rolledBack();
      throw error;
    }
  }

  #rolledBack(): void {
    for (const hook of this.#hooks) hook.rolledBack?.();
  }

  #changes(): unknown {
    return this.#statement.changes.get()?.['n'];
  }
}
