// Owns the cache of rows that the file store has read or written, and when it is out of date: SQLite
// is asked at least once each turn of the event loop whether another connection has committed.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { BoundedMap } from '../../../lib/bounded_map.ts';
import type { TransactionHook } from './transactions.ts';

/**
 * Milliseconds for which an epoch is reused within a turn. A client can revoke a token at another server
 * of this store and present it here within one long turn, but not within this time.
 */
const looksFor = 0.1;

/**
 * An epoch that changes with every commit of another connection in any process: changes by the command
 * line count from the next request on (DESIGN, "Command line"). The verbs of this connection forget
 * the rows they change themselves.
 */
export class Freshness implements TransactionHook {
  readonly #version: StatementSync;
  #seen: unknown;
  #epoch = 0;
  #hasLooked = false;
  /** Of `performance.now`. */
  #lookedAt = 0;

  constructor(database: DatabaseSync) {
    this.#version = database.prepare('PRAGMA data_version');
    this.#version.setReturnArrays(true);
  }

  /** The epoch of this turn. Read it before the rows that are remembered under it. */
  get epoch(): number {
    const now = performance.now();
    if (this.#hasLooked && now - this.#lookedAt < looksFor) return this.#epoch;
    this.#look();
    this.#lookedAt = now;
    if (this.#hasLooked) return this.#epoch;
    this.#hasLooked = true;
    setImmediate(() => {
      this.#hasLooked = false;
    });
    return this.#epoch;
  }

  /** All remembered rows have to be read again. */
  forget(): void {
    this.#epoch += 1;
  }

  /** No other connection commits while this one writes: one query at the beginning is enough. */
  begun(): void {
    this.#look();
  }

  /** The held rows are those of the transaction that was rolled back. */
  rolledBack(): void {
    this.forget();
  }

  #look(): void {
    const [version] = this.#version.get() as unknown as [number];
    if (version === this.#seen) return;
    this.#seen = version;
    this.#epoch += 1;
  }
}

/**
 * Rows by name, as last read or written. A row may be past its end, and a sweep may have removed it: the
 * caller judges by the row's own dates.
 */
export class Remembered<Held, Name extends string | number = string> {
  readonly #fresh: Freshness;
  readonly #most: number;
  #held: BoundedMap<Name, Held>;
  #epoch = -1;

  /** Holds at most `most` rows; the oldest go first. */
  constructor(fresh: Freshness, most: number) {
    this.#fresh = fresh;
    this.#most = most;
    this.#held = new BoundedMap(most);
  }

  /**
   * The held row, or else the row that `read` finds by what is asked, which is held from now on where `isHeld`
   * says so.
   */
  get<Asked>(
    name: Name,
    read: (asked: Asked) => Held | undefined,
    asked?: Asked,
    isHeld?: (found: Held, asked: Asked) => boolean,
  ): Held | undefined {
    this.#expectFresh();
    const held = this.#held.get(name);
    if (held !== undefined) return held;
    const found = read(asked as Asked);
    if (found !== undefined && isHeld?.(found, asked as Asked) !== false) {
      this.#held.set(name, found);
    }
    return found;
  }

  /** The row as it was held last, which may be out of date. */
  last(name: Name): Held | undefined {
    return this.#held.get(name);
  }

  /** Removes and returns the held row, for a verb that changes it; undefined if it has to be read. */
  take(name: Name): Held | undefined {
    this.#expectFresh();
    const held = this.#held.get(name);
    if (held !== undefined) this.#held.delete(name);
    return held;
  }

  /** Holds a row as its caller has written it, if what it was before is still held. */
  replace(name: Name, before: Held, after: Held): void {
    this.#expectFresh();
    if (this.#held.get(name) === before) this.#held.set(name, after);
    else this.#held.delete(name);
  }

  #expectFresh(): void {
    const { epoch } = this.#fresh;
    if (epoch === this.#epoch) return;
    this.#held = new BoundedMap(this.#most);
    this.#epoch = epoch;
  }
}
