// Owns a map that forgets its oldest entries: a cache of bounded size.

/** Holds at most `limit` entries; one more deletes the oldest. */
export class BoundedMap<Key extends string | number, Value> {
  /**
   * Two maps of two ages: the old one gets no more keys and is emptied from its front, then the young one
   * is the old. An iterator of one map would step over the gap of every deleted entry, or, if it were
   * kept, hold every former backing table of V8.
   */
  #old = new Map<Key, Value>();
  #young = new Map<Key, Value>();
  #oldestFirst = this.#old.keys();
  /** The iterator's last key. */
  #front: Key | undefined;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: Key): Value | undefined {
    // A key is in one of them: what the old one does not have needs no second look.
    const found = this.#old.get(key);
    return found === undefined ? this.#young.get(key) : found;
  }

  set(key: Key, value: Value): void {
    if (this.#old.has(key)) {
      this.#old.set(key, value);
      return;
    }
    if (this.size >= this.#limit && !this.#young.has(key)) {
      const oldest = this.oldest();
      if (oldest !== undefined) this.delete(oldest);
    }
    this.#young.set(key, value);
  }

  delete(key: Key): void {
    if (!this.#old.delete(key)) this.#young.delete(key);
  }

  /** The key that was set first; undefined where there is none. */
  oldest(): Key | undefined {
    if (this.#front !== undefined && this.#old.has(this.#front)) return this.#front;
    if (this.#old.size === 0) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#oldestFirst = this.#old.keys();
    }
    this.#front = this.#oldestFirst.next().value;
    return this.#front;
  }

  get size(): number {
    return this.#old.size + this.#young.size;
  }
}
