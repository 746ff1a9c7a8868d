// Owns moving the write-ahead log into the file: when, on which thread, and what its errors mean.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { CheckpointThread } from './checkpoint_thread.ts';
import type { Transactions } from './transactions.ts';

/** Pages in the log from which on it is moved into the file, for a store without a reserve. */
const enough = 1000;
/** Bytes of a page in the log, roughly. */
const pageSize = 4096;
/** Multiple of `enough` at which the log has to begin again at its beginning. */
const longest = 4;
/** Pages that this thread may move for that: two fsyncs, some two milliseconds. */
const few = 200;
/** Milliseconds between looks at the log's length: a look costs as much as a row. */
const looksAfter = 10;
/** More pages than a server writes in a millisecond. */
const pagesPerMillisecond = 200;

export interface LogCheckpointsOptions {
  /** Absolute. */
  readonly path: string;
  /**
   * Bytes of the reserve for a full disk; 0 for a command's store. On a full disk moving the log takes
   * at most as much space as the log: the pages that wait in it stay within half of the reserve, so
   * that they can always be moved.
   */
  readonly reserve: number;
  readonly failed: (error: unknown) => void;
}

/**
 * Checkpoints by hand. SQLite's automatic checkpoint runs inside a commit, so that replies wait for two
 * more fsyncs, and ignores a failed fsync. A server has a thread for checkpoints; where that does not
 * keep up, the calling thread makes one itself.
 */
export class LogCheckpoints {
  readonly #database: DatabaseSync;
  readonly #transactions: Transactions;
  readonly #failed: (error: unknown) => void;
  readonly #look: StatementSync;
  readonly #thread: CheckpointThread | undefined;
  /** Waiting pages from which on a checkpoint is ordered, and from which on the calling thread makes it. */
  readonly #enough: number;
  readonly #most: number;
  readonly #looksAfter: number;
  /** Waiting pages that cannot be moved for now. */
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

  /** Call it after a commit; a checkpoint begins once the replies are sent. Never throws. */
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

  /** Begins no checkpoint any more, not even by `fold`: the file cannot be trusted. */
  stop(): void {
    this.#isPaused = true;
    this.#isStopped = true;
  }

  /** Returns once no checkpoint runs; only `fold` and `finish` begin another. The thread stays. */
  pause(): void {
    this.#isPaused = true;
    this.#thread?.pause();
  }

  /** Ends the thread, which has the file open; undefined where there is none. */
  end(): Promise<unknown> | undefined {
    this.#isPaused = true;
    return this.#thread?.end();
  }

  /**
   * The last checkpoint of a server, before its connection is closed: SQLite's checkpoint at closing
   * ignores a failed fsync (FAULTS 5).
   */
  finish(): void {
    if (this.#thread !== undefined) this.#run('PASSIVE');
  }

  /**
   * The log begins again with the first commit that finds all of it moved. Under load commits add pages
   * while the thread works, so that some always wait: once the log is long, the calling thread moves
   * them, since no verb of this process can commit meanwhile.
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
    // A long reader (a backup) may keep pages in the log: do not try again at every commit.
    this.#stuck = Math.min(this.#stuck, waiting);
    const more = waiting - this.#stuck;
    return more >= (this.#thread?.isBusy === true ? this.#most : this.#enough);
  }

  #run(mode: 'PASSIVE' | 'TRUNCATE'): void {
    if (!this.#database.isOpen) return;
    try {
      this.#thread?.pause();
      // The pause may have told a failure of the thread, which stops this as well.
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

  /** Pages in the log, and how many of them are not in the file. */
  #length(): { readonly log: number; readonly waiting: number } {
    this.#transactions.endRead();
    const [, log, checkpointed] = this.#look.get() as unknown as [number, number, number];
    return { log, waiting: log - checkpointed };
  }
}
