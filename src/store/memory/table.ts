// Owns one table of the memory store: rows by programme and key, and sweeping them in small steps.

import type { ProgrammeId } from '../../oauth/client.ts';
import { looksPerRemoval } from '../judgement.ts';

/** Rows by programme and key, in order of insertion within a programme. */
export class MemoryTable<Row, Key extends string | number = string> {
  // A map a programme: a joined key would be a new text at every look-up.
  readonly #programmes = new Map<ProgrammeId, Map<Key, Row>>();
  #cursor: Iterator<readonly [Map<Key, Row>, Key, Row]> | undefined;

  get(programme: ProgrammeId, key: Key): Row | undefined {
    return this.#programmes.get(programme)?.get(key);
  }

  /** Sets a row, new or changed. */
  set(programme: ProgrammeId, key: Key, row: Row): void {
    const rows = this.#programmes.get(programme);
    if (rows === undefined) this.#programmes.set(programme, new Map([[key, row]]));
    else rows.set(key, row);
  }

  delete(programme: ProgrammeId, key: Key): void {
    this.#programmes.get(programme)?.delete(key);
  }

  /** All rows that pass the test, of one programme or of all; for verbs off the request path. */
  filter(test: (row: Row) => boolean, programme?: ProgrammeId): Row[] {
    const tables =
      programme === undefined
        ? [...this.#programmes.values()]
        : [this.#programmes.get(programme) ?? new Map<Key, Row>()];
    return tables.flatMap((rows) => [...rows.values()].filter(test));
  }

  /** Removes all rows that pass the test and calls `forget` with each. For verbs off the request path. */
  remove(test: (row: Row) => boolean, forget?: (row: Row) => void): void {
    for (const [rows, key, row] of this.#walk()) {
      if (!test(row)) continue;
      rows.delete(key);
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
      this.#cursor ??= this.#walk();
      const next = this.#cursor.next();
      if (next.done === true) {
        this.#cursor = undefined;
        break;
      }
      const [rows, key, row] = next.value;
      if (!ended(row)) continue;
      rows.delete(key);
      forget?.(row);
      removed += 1;
    }
    return removed;
  }

  *#walk(): Generator<readonly [Map<Key, Row>, Key, Row]> {
    for (const rows of this.#programmes.values()) {
      for (const [key, row] of rows) yield [rows, key, row];
    }
  }
}
