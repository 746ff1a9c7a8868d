// Owns when verbs run on the SQLite connection and what one commit covers; not what a verb does.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { Unavailable } from '../oauth/failure.ts';
import { asStoreError, isOutage } from './outage.ts';

interface Job {
  readonly verb: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Writes a little in transactions that others need anyway. */
export interface Passenger {
  /** Called at the end of every transaction, before it is committed. */
  readonly board: () => void;
  /** What the last `board` wrote is durable. */
  readonly arrive: () => void;
}

type Settlement = { readonly value: unknown } | { readonly error: unknown };

/** So that one transaction does not hold up the event loop, or another process, for long. */
const largestBatch = 256;

/**
 * Group commit: the writing verbs of one turn of the event loop share one transaction and one
 * fsync, and each promise resolves only after COMMIT, so that what is answered is durable.
 * Verbs run to their end one after another, so neither they nor reads see half of another.
 */
export class CommitQueue {
  readonly #database: DatabaseSync;
  readonly #statement: Readonly<Record<'begin' | 'commit' | 'rollback', StatementSync>>;
  readonly #jobs: Job[] = [];
  readonly #passengers: readonly Passenger[];
  #scheduled = false;
  #closed = false;
  #commits = 0;

  constructor(database: DatabaseSync, passengers: readonly Passenger[] = []) {
    this.#database = database;
    this.#passengers = passengers;
    this.#statement = {
      // IMMEDIATE takes the write lock first: what a verb reads cannot change before it writes,
      // whichever process asks (HOSTILE 26, 29).
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
      rollback: database.prepare('ROLLBACK'),
    };
  }

  /** How many transactions were committed so far. */
  get commits(): number {
    return this.#commits;
  }

  /**
   * Runs a reading verb at once; it sees what is committed.
   * @throws Unavailable when the store cannot answer.
   */
  async read<T>(verb: () => T): Promise<T> {
    if (this.#closed) throw closedError();
    try {
      return verb();
    } catch (error) {
      throw asStoreError(error);
    }
  }

  /**
   * Runs a writing verb in a transaction and resolves once that is durable. The verb may run twice
   * and must depend on the database alone.
   * @throws Unavailable when the store cannot write; nothing has changed then.
   */
  write<T>(verb: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise<T>((resolve, reject) => {
      this.#jobs.push({ verb, resolve: (value) => resolve(value as T), reject });
      this.#schedule();
    });
  }

  /** Commits what is queued, then refuses everything. */
  close(): void {
    this.#closed = true;
    while (this.#jobs.length > 0) this.#flush();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // After this turn's I/O callbacks: requests that arrived together share a commit.
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
      if (this.#jobs.length > 0) this.#schedule();
    });
  }

  #flush(): void {
    const batch = this.#jobs.splice(0, largestBatch);
    if (batch.length === 0) return;
    let settlements: readonly Settlement[];
    try {
      settlements = this.#settle(batch);
    } catch (error) {
      const reason = asStoreError(error);
      for (const job of batch) job.reject(reason);
      return;
    }
    for (const [index, job] of batch.entries()) {
      const settled = settlements[index];
      if (settled !== undefined && 'value' in settled) job.resolve(settled.value);
      else job.reject(settled?.error);
    }
  }

  /** The whole batch together; only when a verb of it fails, again with a savepoint for each. */
  #settle(batch: readonly Job[]): readonly Settlement[] {
    try {
      return this.#transaction(() => batch.map(({ verb }) => ({ value: verb() })));
    } catch (error) {
      if (batch.length === 1 || isOutage(error)) throw error;
      return this.#transaction(() => batch.map(({ verb }) => this.#apart(verb)));
    }
  }

  #apart(verb: () => unknown): Settlement {
    this.#database.exec('SAVEPOINT verb');
    try {
      const value = verb();
      this.#database.exec('RELEASE verb');
      return { value };
    } catch (error) {
      if (isOutage(error)) throw error;
      this.#database.exec('ROLLBACK TO verb; RELEASE verb');
      return { error: asStoreError(error) };
    }
  }

  #transaction<T>(body: () => T): T {
    this.#statement.begin.run();
    try {
      const result = body();
      for (const passenger of this.#passengers) passenger.board();
      this.#statement.commit.run();
      this.#commits += 1;
      for (const passenger of this.#passengers) passenger.arrive();
      return result;
    } catch (error) {
      // SQLite has rolled back by itself after some errors (full, I/O) and not after others.
      if (this.#database.isTransaction) this.#statement.rollback.run();
      throw error;
    }
  }
}

function closedError(): Unavailable {
  return new Unavailable('store: closed');
}
