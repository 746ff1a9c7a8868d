// Owns a map that forgets its oldest entries: a cache of bounded size.

/** Holds at most `limit` entries; one more deletes the oldest. */
export class BoundedMap<Key extends string | number, Value> {
  readonly #entries = new Map<Key, Value>();
  /**
   * Kept, since a fresh iterator would step over the gap of every deleted entry: thousands, until V8
   * rehashes the map.
   */
  #oldestFirst = this.#entries.keys();
  /** The iterator's last key, while the map has it. */
  #front: Key | undefined;
  /** Entries deleted since the iterator began. */
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
    // An iterator at its end does not see later entries.
    if (next.done === true) this.#oldestFirst = this.#entries.keys();
    else this.#front = next.value;
    return this.#front;
  }

  /**
   * V8 keeps a map's old backing tables alive for an iterator that has not advanced since a rehash:
   * without a fresh iterator now and then every old table would leak.
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
