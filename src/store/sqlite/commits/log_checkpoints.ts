// Owns moving the write-ahead log into the file: when, by whom, and what its errors mean.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { CheckpointThread } from './checkpoint_thread.ts';
import type { Transactions } from './transactions.ts';

/** Pages in the log from which on they are moved into the file, where space is no concern. */
const enough = 1000;
/** Rough bytes of a page in the log. */
const pageSize = 4096;
/** Lengths of `enough` from which on the log has to begin again at its beginning. */
const longest = 4;
/** Pages that may be moved on this thread to get there: two synchronisations, some two milliseconds. */
const few = 200;
/** Milliseconds between looks at the log's length: one costs as much as a row. */
const looksAfter = 10;
/** More pages than a server writes in a millisecond. */
const pagesPerMillisecond = 200;

export interface LogCheckpointsOptions {
  /** Absolute. */
  readonly path: string;
  /**
   * Bytes that are there for a full disk; 0 for a store that is no server's. On a full disk moving
   * the log into the file takes at most as much again: what waits in it stays within half of the
   * reserve, so that it can always be moved.
   */
  readonly reserve: number;
  /** Told of any error. */
  readonly failed: (error: unknown) => void;
}

/**
 * Checkpoints by hand. SQLite's own would run inside a commit, so that replies wait for two more
 * fsyncs, and would say nothing when one of them fails. A server has a thread for them; this one
 * lends a hand where that does not keep up.
 */
export class LogCheckpoints {
  readonly #database: DatabaseSync;
  readonly #transactions: Transactions;
  readonly #failed: (error: unknown) => void;
  readonly #look: StatementSync;
  readonly #thread: CheckpointThread | undefined;
  /** Pages from which on they are moved, and from which on nothing else comes first. */
  readonly #enough: number;
  readonly #most: number;
  readonly #looksAfter: number;
  /** Pages that cannot be moved for now. */
  #stuck = 0;
  #lookedAt = 0;
  #scheduled = false;
  #isPaused = false;
  #isStopped = false;

  constructor(database: DatabaseSync, transactions: Transactions, options: LogCheckpointsOptions) {
    const { path, reserve, failed } = options;
    const pages = Math.max(16, Math.floor(reserve / 2 / pageSize));
    this.#most = reserve === 0 ? enough : pages;
    this.#enough = reserve === 0 ? enough : Math.min(enough, Math.floor(pages / 2));
    this.#looksAfter = Math.min(looksAfter, this.#most / pagesPerMillisecond);
    this.#database = database;
    this.#transactions = transactions;
    this.#failed = failed;
    database.exec('PRAGMA wal_autocheckpoint = 0');
    this.#look = database.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#look.setReturnArrays(true);
    if (reserve === 0) return;
    this.#thread = new CheckpointThread(path, {
      moved: (stuck) => {
        this.#stuck = stuck;
        if (stuck === 0) this.#beginAgain();
      },
      failed: (error) => this.#fail(error),
      unable: () => {
        if (!this.#isPaused) this.#run('PASSIVE');
      },
    });
  }

  /** Call it after a commit; what there is to do is done once the replies are out. Never throws. */
  afterCommit(): void {
    const now = performance.now();
    if (this.#scheduled || this.#isPaused || now - this.#lookedAt < this.#looksAfter) return;
    this.#lookedAt = now;
    try {
      if (!this.#isDue(this.#length().waiting)) return;
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#isPaused) return;
      if (this.#thread === undefined || this.#thread.isBusy) this.#run('PASSIVE');
      else this.#thread.order();
    });
  }

  /** Moves all of the log into the file and gives its space back. */
  fold(): void {
    this.#run('TRUNCATE');
  }

  /** Begins no checkpoint any more, whatever is asked for: the file cannot be trusted. */
  stop(): void {
    this.#isPaused = true;
    this.#isStopped = true;
  }

  /** Returns once no checkpoint runs, nor will but for `fold`; what a thread may be needed for stays. */
  pause(): void {
    this.#isPaused = true;
    this.#thread?.pause();
  }

  /** Ends what holds the file open beside the store; undefined where nothing does. */
  end(): Promise<unknown> | undefined {
    this.#isPaused = true;
    return this.#thread?.end();
  }

  /**
   * The last checkpoint of a server, before its connection is closed: closing would make one too, and
   * say nothing when it fails (FAULTS 5).
   */
  finish(): void {
    if (this.#thread !== undefined) this.#run('PASSIVE');
  }

  /**
   * The log begins again with the first commit that finds it moved whole. Commits go on while the
   * thread works, so that under load there is always a rest: once the log is long, this thread moves
   * it, as nobody can commit meanwhile.
   */
  #beginAgain(): void {
    if (this.#isPaused || !this.#database.isOpen) return;
    try {
      const { log, waiting } = this.#length();
      const tooLong = longest * this.#enough;
      if (waiting === 0 || log < tooLong) return;
      if (waiting <= few || log >= 2 * tooLong) this.#run('PASSIVE');
      else this.#thread?.order();
    } catch (error) {
      this.#fail(error);
    }
  }

  #isDue(waiting: number): boolean {
    // A long reader (a backup) may keep pages where they are: not again at every commit.
    this.#stuck = Math.min(this.#stuck, waiting);
    const more = waiting - this.#stuck;
    return more >= (this.#thread?.isBusy === true ? this.#most : this.#enough);
  }

  #run(mode: 'PASSIVE' | 'TRUNCATE'): void {
    if (!this.#database.isOpen) return;
    try {
      this.#thread?.pause();
      // By what the thread has told, too.
      if (this.#isStopped) return;
      this.#transactions.endRead();
      this.#database.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
      this.#stuck = this.#length().waiting;
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#stuck += this.#enough;
    this.#failed(error);
  }

  /** Pages in the log, and those of them that are not in the file. */
  #length(): { readonly log: number; readonly waiting: number } {
    this.#transactions.endRead();
    const [, log, checkpointed] = this.#look.get() as unknown as [number, number, number];
    return { log, waiting: log - checkpointed };
  }
}
