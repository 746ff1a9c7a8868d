// Owns a map that forgets its oldest entries, for what may be remembered but need not be.

/** Holds at most `limit` entries: one more, and the one that was set first goes. */
export class BoundedMap<Key extends string | number, Value> {
  readonly #entries = new Map<Key, Value>();
  /**
   * All before it has gone. One that begins anew each time would step over every gap that those have
   * left in the map: thousands, until the map is laid out again.
   */
  #oldestFirst = this.#entries.keys();
  /** What it has come to, while that is there. */
  #front: Key | undefined;
  /** How many have gone since it began. */
  #gone = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#entries.size >= this.#limit && !this.#entries.has(key)) {
      const oldest = this.oldest();
      if (oldest !== undefined) this.delete(oldest);
    }
    this.#entries.set(key, value);
  }

  delete(key: Key): void {
    if (this.#front === key) this.#front = undefined;
    if (this.#entries.delete(key)) this.#noteGone();
  }

  /** The key that was set first; undefined where there is none. */
  oldest(): Key | undefined {
    if (this.#front !== undefined) return this.#front;
    const next = this.#oldestFirst.next();
    // One that has come to an end sees nothing that is set later.
    if (next.done === true) this.#oldestFirst = this.#entries.keys();
    else this.#front = next.value;
    return this.#front;
  }

  /**
   * A map that is laid out again leaves its old layout to iterators that have not moved since, and
   * that layout all that come after it: one that is not asked would keep them all, without end.
   */
  #noteGone(): void {
    this.#gone += 1;
    if (this.#gone < this.#limit) return;
    this.#gone = 0;
    this.#oldestFirst = this.#entries.keys();
  }

  get size(): number {
    return this.#entries.size;
  }
}
