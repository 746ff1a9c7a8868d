// Owns one table of the memory store: rows by programme and key, and sweeping them in small steps.

import type { ProgrammeId } from '../../oauth/client.ts';
import { looksPerRemoval } from '../judgement.ts';

/** Rows by programme and key, in order of insertion. */
export class MemoryTable<Row> {
  readonly #rows = new Map<string, Row>();
  #cursor: Iterator<[string, Row]> | undefined;

  get(programme: ProgrammeId, key: string): Row | undefined {
    return this.#rows.get(nameOf(programme, key));
  }

  /** Sets a row, new or changed. */
  set(programme: ProgrammeId, key: string, row: Row): void {
    this.#rows.set(nameOf(programme, key), row);
  }

  delete(programme: ProgrammeId, key: string): void {
    this.#rows.delete(nameOf(programme, key));
  }

  /** Throws if the key is in use, before a verb has changed anything. */
  expectNew(programme: ProgrammeId, key: string): void {
    if (this.#rows.has(nameOf(programme, key))) throw new Error('the key is in use');
  }

  /** All rows that pass the test; for verbs off the request path. */
  filter(test: (row: Row) => boolean): Row[] {
    return [...this.#rows.values()].filter(test);
  }

  /** Removes all rows that pass the test and calls `forget` with each. For verbs off the request path. */
  remove(test: (row: Row) => boolean, forget?: (row: Row) => void): void {
    for (const [name, row] of this.#rows) {
      if (!test(row)) continue;
      this.#rows.delete(name);
      forget?.(row);
    }
  }

  /**
   * Removes up to `limit` rows that pass `ended`, on from where the last sweep stopped, and calls `forget`
   * with each. One call costs the same for any number of rows.
   */
  sweep(limit: number, ended: (row: Row) => boolean, forget?: (row: Row) => void): number {
    let removed = 0;
    for (let looks = limit * looksPerRemoval; looks > 0 && removed < limit; looks -= 1) {
      this.#cursor ??= this.#rows.entries();
      const next = this.#cursor.next();
      if (next.done === true) {
        this.#cursor = undefined;
        break;
      }
      const [name, row] = next.value;
      if (!ended(row)) continue;
      this.#rows.delete(name);
      forget?.(row);
      removed += 1;
    }
    return removed;
  }
}

function nameOf(programme: ProgrammeId, key: string): string {
  return `${programme}\0${key}`;
}
