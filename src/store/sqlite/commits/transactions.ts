// Owns running verbs inside SQLite transactions: together, or apart when one of them fails.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { inTurn } from '../../../lib/turn.ts';
import { asStoreError, isOutage } from './outage.ts';

/** Writes a little in transactions that others need anyway. */
export interface Passenger {
  /** Called at the beginning of every transaction, once nobody else can write. */
  readonly start?: () => void;
  /** Called at the end of every transaction, before it is committed; `changed` if it has written. */
  readonly board: (changed: boolean) => void;
  /** What the last `board` wrote is durable. */
  readonly arrive: () => void;
  /** Some of what was written since the last `start` has been undone. */
  readonly undone?: () => void;
}

/** What became of a verb: what it returned, or what it threw after which nothing of it stands. */
export type Settlement = { readonly value: unknown } | { readonly error: unknown };

type Verb = () => unknown;

/** Transactions on one connection. */
export class Transactions {
  readonly #database: DatabaseSync;
  readonly #passengers: readonly Passenger[];
  readonly #statement: Readonly<
    Record<'look' | 'begin' | 'commit' | 'rollback' | 'changes', StatementSync>
  >;
  #commits = 0;
  #isReading = false;
  readonly #end = (): void => this.endRead();

  constructor(database: DatabaseSync, passengers: readonly Passenger[]) {
    this.#database = database;
    this.#passengers = passengers;
    this.#statement = {
      look: database.prepare('BEGIN'),
      // IMMEDIATE takes the write lock first: what a verb reads cannot change before it writes,
      // whichever process asks (HOSTILE 26, 29).
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
      rollback: database.prepare('ROLLBACK'),
      changes: database.prepare('SELECT total_changes() AS n'),
    };
  }

  /** How many were committed so far. */
  get commits(): number {
    return this.#commits;
  }

  /**
   * Has the reads of this turn share one look at the file: each by itself would take and give back
   * a lock and ask whether the log has grown. They see what was committed when the first of them
   * began, and a write ends it. So do the turn's requests, for what they are to see may have been
   * committed since: one that was read earlier in the turn, by a timer say, is older than they are.
   */
  read(): void {
    if (this.#isReading) return;
    this.#statement.look.run();
    this.#isReading = true;
    inTurn('requests', this.#end);
    inTurn('replies', this.#end);
  }

  /** Ends what reads share; call it before anything that wants the connection for itself. */
  endRead(): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    if (this.#database.isOpen && this.#database.isTransaction) this.#statement.commit.run();
  }

  /**
   * Runs the verbs in one transaction; only when one of them fails, again with a savepoint for
   * each. What it returns is durable.
   * @throws whatever kept the transaction as a whole from being committed; nothing has changed then.
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
      this.#undone();
      return { error: asStoreError(error) };
    }
  }

  #transaction<T>(body: () => T): T {
    this.endRead();
    this.#statement.begin.run();
    try {
      for (const passenger of this.#passengers) passenger.start?.();
      const before = this.#changes();
      const result = body();
      const changed = this.#changes() !== before;
      for (const passenger of this.#passengers) passenger.board(changed);
      this.#statement.commit.run();
      this.#commits += 1;
      for (const passenger of this.#passengers) passenger.arrive();
      return result;
    } catch (error) {
      // SQLite has rolled back by itself after some errors (full, I/O) and not after others.
      if (this.#database.isTransaction) this.#statement.rollback.run();
      this.#undone();
      throw error;
    }
  }

  #undone(): void {
    for (const passenger of this.#passengers) passenger.undone?.();
  }

  #changes(): unknown {
    return this.#statement.changes.get()?.['n'];
  }
}
