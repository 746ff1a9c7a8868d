// Owns the turns of the writers of an audit file: one process writes at a time. The system drops the lock
// with its process, whatever that dies of; Node has no other lock that does, so it is SQLite's, on an empty
// database beside the file.

import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** The file whose lock writers take. Version 0.1.0, which may still run, takes that of its own database. */
export function lockPath(path: string): string {
  const former = `${path}.head`;
  return existsSync(former) ? former : `${path}.lock`;
}

export class Turns {
  readonly #database: DatabaseSync;

  /**
   * @param patience milliseconds to wait for another writer's turn to end
   * @throws an error of the system or of SQLite where the file's folder cannot be written to
   */
  constructor(path: string, patience: number) {
    const file = lockPath(path);
    // Closing a file drops the locks that this process has on it.
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
    this.#database = new DatabaseSync(file, { timeout: patience });
    // A lock on an empty database begins a journal: on the disk, each turn would need room there (FAULTS 4).
    // The database of version 0.1.0 has a log of its own, and is left as it is.
    if (file.endsWith('.lock')) this.#database.exec('PRAGMA journal_mode = MEMORY');
  }

  /** Until it is given back no other writer runs. @throws an error of SQLite after the patience */
  take(): void {
    this.#database.exec('BEGIN IMMEDIATE');
  }

  /** Nothing is written to the database. */
  giveBack(): void {
    this.#database.exec('ROLLBACK');
  }

  close(): void {
    this.#database.close();
  }
}
