// Owns what the file store remembers of rows it has read, and whether they still stand: SQLite tells
// whether another connection has committed, at least once each turn of the event loop.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { BoundedMap } from '../../../lib/bounded_map.ts';
import type { Passenger } from './transactions.ts';

/**
 * Milliseconds for which a look stands within a turn. A busy turn is longer than it takes to revoke
 * a token at another server of this store and to come here with it; this is not.
 */
const looksFor = 0.1;

/**
 * An epoch that changes with every commit of another connection, whichever process has it: what the
 * command line changes counts from the next request on (DESIGN, "Command line"). The verbs of this
 * connection forget by themselves what they change.
 */
export class Freshness implements Passenger {
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

  /** The epoch of this turn. Call it before reading what is to be remembered under it. */
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

  /** Whatever was remembered has to be read again. */
  forget(): void {
    this.#epoch += 1;
  }

  /** Nobody else commits while a transaction writes: what stands at its beginning stands. */
  start(): void {
    this.#look();
  }

  board(): void {}

  arrive(): void {}

  /** What the verbs have written, and what is remembered of it, is not so. */
  undone(): void {
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
 * Rows by programme and key, as they were last read or written, while they stand. What they say of
 * themselves ends with time is for the caller to judge: a sweep that removes them tells nobody.
 */
export class Remembered<Held> {
  readonly #fresh: Freshness;
  readonly #most: number;
  #held: BoundedMap<string, Held>;
  #epoch = -1;

  /** `most` bounds how many are held; the oldest go first. */
  constructor(fresh: Freshness, most: number) {
    this.#fresh = fresh;
    this.#most = most;
    this.#held = new BoundedMap(most);
  }

  /** What is held of a row; else what `read` finds, which is held if it finds anything. */
  get(programme: string, key: string, read: () => Held | undefined): Held | undefined {
    this.#expectFresh();
    const name = nameOf(programme, key);
    const held = this.#held.get(name);
    if (held !== undefined) return held;
    const found = read();
    if (found !== undefined) this.#held.set(name, found);
    return found;
  }

  /** Gives up what is held of a row, for a verb that changes it; undefined if it has to be read. */
  take(programme: string, key: string): Held | undefined {
    this.#expectFresh();
    const name = nameOf(programme, key);
    const held = this.#held.get(name);
    if (held !== undefined) this.#held.delete(name);
    return held;
  }

  /** Holds a row as the verb that calls this has written it. */
  note(programme: string, key: string, written: Held): void {
    this.#expectFresh();
    this.#held.set(nameOf(programme, key), written);
  }

  #expectFresh(): void {
    const { epoch } = this.#fresh;
    if (epoch === this.#epoch) return;
    this.#held = new BoundedMap(this.#most);
    this.#epoch = epoch;
  }
}

function nameOf(programme: string, key: string): string {
  return `${programme}\0${key}`;
}
