// Owns moving the write-ahead log into the file: when, and what its errors mean.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Pages in the log from which on they are moved into the file. */
const enough = 1000;

/**
 * Checkpoints by hand. SQLite's own would run inside a commit, so that replies wait for two more
 * fsyncs, and would say nothing when one of them fails.
 */
export class LogCheckpoints {
  readonly #database: DatabaseSync;
  readonly #failed: (error: unknown) => void;
  readonly #look: StatementSync;
  #next = enough;
  #scheduled = false;

  /** `failed` is told of any error. */
  constructor(database: DatabaseSync, failed: (error: unknown) => void) {
    this.#database = database;
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
      this.#database.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
      // A long reader (a backup) may have kept it from finishing: not again at every commit.
      this.#next = this.#waiting() + enough;
    } catch (error) {
      this.#next += enough;
      this.#failed(error);
    }
  }

  /** Pages in the log that are not in the file. */
  #waiting(): number {
    const { log, checkpointed } = this.#look.get() as { log: number; checkpointed: number };
    return log - checkpointed;
  }
}
