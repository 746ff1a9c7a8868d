// Owns when verbs run on the SQLite connection, which verbs share a commit, and which errors end the queue.

import type { Soon } from '../../../lib/pause.ts';
import { inTurn } from '../../../lib/turn.ts';
import { Unavailable } from '../../../oauth/failure.ts';
import { StoreFailed } from '../../unusable.ts';
import { measureCommit } from './commit_metrics.ts';
import type { DiskSpace } from './disk_space.ts';
import { asStoreError, isBusy, isFull } from './outage.ts';
import type { Settlement, Transactions } from './transactions.ts';

const inCommits = (callback: () => void): void => inTurn('commits', callback);

interface Job {
  readonly verb: () => unknown;
  readonly fromReserve: boolean;
  /** When the verb stops waiting for another process's lock. */
  readonly patientUntil: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface QueueOptions {
  readonly space?: DiskSpace;
  /** Called after every commit, once its verbs are answered. */
  readonly afterCommit?: () => void;
  /** Called once, with the reason that has ended the queue: the process has to end too. */
  readonly onFatal?: (reason: Unavailable) => void;
}

/** Verbs of one transaction: it must not hold up the event loop, or another process, for long. */
const largestBatch = 256;
/** Verbs that may wait; more can only wait for a store that does not answer. */
const longestQueue = 10_000;
/** Milliseconds a verb waits for another process's lock: an outage is told within two seconds (FAULTS 13). */
const patience = 1500;
/** Milliseconds between tries for a lock. SQLite's own wait would block the event loop. */
const retryAfter = 2;

/**
 * Group commit: the writing verbs of one turn of the event loop share one transaction and one fsync.
 * Each promise resolves only after COMMIT, so that an answer is durable. Verbs run one after another,
 * each to its end: no verb sees half of another.
 */
export class CommitQueue {
  readonly #transactions: Transactions;
  readonly #options: QueueOptions;
  readonly #jobs: Job[] = [];
  #scheduled = false;
  #ended: Unavailable | undefined;
  #isToldOf = false;
  #mayWrite = true;

  constructor(transactions: Transactions, options: QueueOptions = {}) {
    this.#transactions = transactions;
    this.#options = options;
  }

  /** The reason that has ended the queue; undefined while it serves. */
  get ended(): Unavailable | undefined {
    return this.#ended;
  }

  /** False once the disk has failed or the file is damaged: the file is left as it is. */
  get mayWrite(): boolean {
    return this.#mayWrite;
  }

  /**
   * Runs a reading verb at once, with what it is asked; the verb sees committed rows.
   * Rejects with Unavailable when the store cannot answer.
   */
  read<T>(verb: () => T): Soon<T>;
  read<T, Asked>(verb: (asked: Asked) => T, asked: Asked): Soon<T>;
  read<T>(verb: (asked: unknown) => T, asked?: unknown): Soon<T> {
    if (this.#ended) return Promise.reject(this.#ended);
    try {
      this.#transactions.read();
      return verb(asked);
    } catch (error) {
      this.#transactions.endRead();
      return this.#readLater(() => verb(asked), error);
    }
  }

  async #readLater<T>(verb: () => T, first: unknown): Promise<T> {
    const patientUntil = performance.now() + patience;
    let error = first;
    for (;;) {
      // Seldom: another process recovers the log after a crash.
      if (!isBusy(error) || performance.now() > patientUntil) throw this.judge(error);
      await new Promise((resolve) => {
        setTimeout(resolve, retryAfter);
      });
      if (this.#ended) throw this.#ended;
      try {
        this.#transactions.read();
        return verb();
      } catch (again) {
        this.#transactions.endRead();
        error = again;
      }
    }
  }

  /**
   * Runs a writing verb in a transaction and resolves once that is durable. The verb may run twice
   * and must depend on the database alone.
   * @throws Unavailable when the store cannot write. Nothing has changed then, unless an fsync failed:
   * after that the state of the file is not known.
   */
  write<T>(verb: () => T): Promise<T> {
    return this.#enqueue(verb, false);
  }

  /** As `write`, for verbs that go on when the disk is full: they free space, or take away rights. */
  writeFromReserve<T>(verb: () => T): Promise<T> {
    return this.#enqueue(verb, true);
  }

  /** Ends the queue for good: waiting and later verbs are refused. Calls `onFatal` after `close` too. */
  end(reason: Unavailable): void {
    if (this.#isToldOf) return;
    this.#isToldOf = true;
    this.#ended = reason;
    for (const job of this.#jobs.splice(0)) job.reject(reason);
    this.#options.onFatal?.(reason);
  }

  /** Commits what is queued, then refuses everything. */
  close(): void {
    while (this.#jobs.length > 0 && !this.#ended) this.#flush(0);
    this.#commitNotes();
    this.#ended ??= new Unavailable('store: closed');
  }

  /** Commits what hooks have noted for a later transaction: none will come. */
  #commitNotes(): void {
    if (this.#ended) return;
    try {
      this.#transactions.settle([]);
    } catch (error) {
      // Notes may be lost.
      this.judge(error);
    }
  }

  #enqueue<T>(verb: () => T, fromReserve: boolean): Promise<T> {
    const refusal = this.#refusal(fromReserve);
    if (refusal) return Promise.reject(refusal);
    const patientUntil = performance.now() + patience;
    return new Promise<T>((resolve, reject) => {
      const done = (value: unknown): void => resolve(value as T);
      this.#jobs.push({ verb, fromReserve, patientUntil, resolve: done, reject });
      // Requests that were read together share a commit.
      if (!this.#scheduled) this.#schedule(inCommits);
    });
  }

  #refusal(fromReserve: boolean): Unavailable | undefined {
    if (this.#ended) return this.#ended;
    if (this.#jobs.length >= longestQueue) return new Unavailable('store: too many verbs wait');
    const hasRoom = fromReserve || (this.#options.space?.hasRoom() ?? true);
    // Looking for room may have shown that the disk fails.
    if (hasRoom || this.#ended) return this.#ended;
    return new Unavailable('store: the disk is full');
  }

  #schedule(later: (callback: () => void) => unknown): void {
    this.#scheduled = true;
    later(() => {
      this.#scheduled = false;
      this.#flush(patience);
      if (this.#jobs.length > 0 && !this.#scheduled) this.#schedule(inCommits);
    });
  }

  #flush(forLock: number): void {
    const batch = this.#jobs.splice(0, largestBatch);
    if (batch.length === 0) return;
    let settlements: readonly Settlement[];
    try {
      settlements = measureCommit(batch.length, () => this.#settle(batch));
    } catch (error) {
      if (isBusy(error) && forLock > 0) return this.#postpone(batch, error);
      const reason = this.judge(error);
      for (const job of batch) job.reject(reason);
      return undefined;
    }
    for (const [index, job] of batch.entries()) {
      const settled = settlements[index];
      if (settled !== undefined && 'value' in settled) job.resolve(settled.value);
      else job.reject(settled?.error);
    }
    this.#options.afterCommit?.();
  }

  /** Another process is writing: jobs that can wait longer go to the front of the queue. */
  #postpone(batch: readonly Job[], error: unknown): void {
    const now = performance.now();
    const reason = asStoreError(error);
    this.#jobs.unshift(...batch.filter(({ patientUntil }) => patientUntil > now));
    for (const job of batch) if (job.patientUntil <= now) job.reject(reason);
    if (this.#jobs.length > 0) this.#schedule((callback) => setTimeout(callback, retryAfter));
  }

  /** A full disk may have room once the log is moved into the file; after that only the reserve is left (FAULTS 4). */
  #settle(batch: readonly Job[]): readonly Settlement[] {
    const { space } = this.#options;
    try {
      return this.#run(batch);
    } catch (error) {
      if (space === undefined || !isFull(error)) throw error;
      this.#fold(space);
    }
    try {
      return this.#run(batch);
    } catch (error) {
      if (space === undefined || !isFull(error)) throw error;
      space.release();
      this.#fold(space);
      const reason = asStoreError(error);
      const urgent = batch.filter(({ fromReserve }) => fromReserve);
      const settled = [...(urgent.length > 0 ? this.#run(urgent) : [])];
      return batch.map(
        (job) => (job.fromReserve ? settled.shift() : undefined) ?? { error: reason },
      );
    }
  }

  /** Moving the log may show that the disk fails: then nothing is written any more. */
  #fold(space: DiskSpace): void {
    space.foldLog();
    if (this.#ended) throw this.#ended;
  }

  #run(batch: readonly Job[]): readonly Settlement[] {
    return this.#transactions.settle(batch.map(({ verb }) => verb));
  }

  /** The error to hand out. After a `StoreFailed` the file cannot be trusted: it ends the queue (FAULTS 5). */
  judge(error: unknown): unknown {
    const reason = asStoreError(error);
    if (reason instanceof StoreFailed) {
      this.#mayWrite = false;
      this.end(reason);
    }
    return reason;
  }
}
