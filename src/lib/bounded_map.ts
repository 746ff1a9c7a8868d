// Owns a map that forgets its oldest entries, for what may be remembered but need not be.

/** Holds at most `limit` entries: one more, and the one that was set first goes. */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  /**
   * All before it has gone. One that begins anew each time would step over every gap that those have
   * left in the map: thousands, until the map is laid out again.
   */
  readonly #oldestFirst = this.#entries.keys();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#entries.size >= this.#limit && !this.#entries.has(key)) {
      const oldest = this.#oldestFirst.next();
      if (oldest.done !== true) this.#entries.delete(oldest.value);
    }
    this.#entries.set(key, value);
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  get size(): number {
    return this.#entries.size;
  }
}
