// Owns the record of an audit file's newest line, which shows a cut at its end, and the lock that writers
// take in turn. Both are a SQLite database beside the file: the system drops its locks with a process.

import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';

import type { Chain, Link, Mark } from './chain.ts';

/** The newest line, and the file it is in. */
export interface Head extends Link {
  /** Device and inode. */
  readonly file: string;
  /** Bytes up to the line's end. */
  readonly size: number;
}

/** The record is there, but not as Jetway has written it. */
export class HeadForged extends Error {
  override readonly name = 'HeadForged';
}

/** The database of an audit file. */
export function headPath(path: string): string {
  return `${path}.head`;
}

// In a write-ahead log a commit needs no fsync, and a power cut damages nothing: it may lose the last
// commits, whose lines are found in the file again.
const setUp = `
  PRAGMA page_size = 512;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = 16;
  CREATE TABLE IF NOT EXISTS head (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL, mark TEXT NOT NULL, file TEXT NOT NULL, size INTEGER NOT NULL,
    seal TEXT NOT NULL
  ) STRICT;
`;

export class HeadRecord {
  readonly #database: DatabaseSync;
  readonly #chain: Chain;
  readonly #read: StatementSync;
  readonly #write: StatementSync;

  /** @param patience milliseconds to wait for another writer's turn to end */
  constructor(path: string, chain: Chain, patience: number) {
    const file = headPath(path);
    // SQLite gives its log the mode of the database.
    closeSync(openSync(file, 'a', 0o600));
    this.#chain = chain;
    this.#database = new DatabaseSync(file, { timeout: patience });
    try {
      this.#database.exec(setUp);
      this.#read = this.#database.prepare('SELECT seq, mark, file, size, seal FROM head');
      this.#write = this.#database.prepare('REPLACE INTO head VALUES (1, ?, ?, ?, ?, ?)');
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Undefined where no line was written yet. @throws HeadForged */
  read(): Head | undefined {
    const row = this.#read.get() as (Head & { readonly seal: string }) | undefined;
    if (row === undefined) return undefined;
    const { seal, ...head } = row;
    if (this.#seal(head) !== seal)
      throw new HeadForged('the record of the newest line was changed');
    return head;
  }

  /**
   * Runs `use` while no other writer runs; the head that it returns is kept. Where it throws, or keeping
   * fails, nothing is kept, and what it gave to `undoing` is called before the turn ends.
   */
  inTurn(use: (undoing: (undo: () => void) => void) => Head): Head {
    this.#database.exec('BEGIN IMMEDIATE');
    let undo = (): void => undefined;
    try {
      const head = use((given) => (undo = given));
      const { seq, mark, file, size } = head;
      this.#write.run(seq, mark, file, size, this.#seal(head));
      this.#database.exec('COMMIT');
      return head;
    } catch (error) {
      // SQLite itself ends the turn at some errors: another writer may have begun its own by now.
      if (this.#database.isTransaction) {
        undo();
        this.#database.exec('ROLLBACK');
      }
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  #seal({ seq, mark, file, size }: Head): Mark {
    return this.#chain.seal(`${seq} ${mark} ${file} ${size}`);
  }
}
