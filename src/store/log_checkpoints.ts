// Owns moving the write-ahead log into the file: when, and what its errors mean.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import type { Transactions } from './transactions.ts';

/** Pages in the log from which on they are moved into the file, where space is no concern. */
const enough = 1000;
/** Rough bytes of a page in the log. */
const pageSize = 4096;

/**
 * Checkpoints by hand. SQLite's own would run inside a commit, so that replies wait for two more
 * fsyncs, and would say nothing when one of them fails.
 */
export class LogCheckpoints {
  readonly #database: DatabaseSync;
  readonly #transactions: Transactions;
  readonly #failed: (error: unknown) => void;
  readonly #look: StatementSync;
  readonly #enough: number;
  #next: number;
  #scheduled = false;

  /**
   * `failed` is told of any error. On a full disk moving the log into the file takes at most as much
   * again: with a `reserve` (bytes) the log stays within half of it, so that it can always be moved.
   */
  constructor(
    database: DatabaseSync,
    transactions: Transactions,
    reserve: number,
    failed: (error: unknown) => void,
  ) {
    const pages = Math.floor(reserve / 2 / pageSize);
    this.#enough = reserve === 0 ? enough : Math.min(enough, Math.max(16, pages));
    this.#next = this.#enough;
    this.#database = database;
    this.#transactions = transactions;
    this.#failed = failed;
    database.exec('PRAGMA wal_autocheckpoint = 0');
    this.#look = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  }

  /** Call it after a commit; what there is to do is done once the replies are out. */
  afterCommit(): void {
    if (this.#scheduled || this.#waiting() < this.#next) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#database.isOpen) this.#run('PASSIVE');
    });
  }

  /** Moves all of the log into the file and gives its space back. */
  fold(): void {
    this.#run('TRUNCATE');
  }

  #run(mode: 'PASSIVE' | 'TRUNCATE'): void {
    try {
      this.#transactions.endRead();
      this.#database.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
      // A long reader (a backup) may have kept it from finishing: not again at every commit.
      this.#next = this.#waiting() + this.#enough;
    } catch (error) {
      this.#next += this.#enough;
      this.#failed(error);
    }
  }

  /** Pages in the log that are not in the file. */
  #waiting(): number {
    this.#transactions.endRead();
    const { log, checkpointed } = this.#look.get() as { log: number; checkpointed: number };
    return log - checkpointed;
  }
}
