// Owns looking at how long a store's log is, from a connection that changes nothing, and making it long.

import { DatabaseSync } from 'node:sqlite';

import type { FileStore } from '../../src/store/sqlite/store.ts';
import { inParallel, loginNamed } from './fixtures.ts';

export interface LogLength {
  /** Pages in the log. */
  readonly log: number;
  /** Those of them that are in the file. */
  readonly checkpointed: number;
}

/** Looks at the log of the store at `path`, which is open. */
export function logOf(path: string): {
  readonly length: () => LogLength;
  readonly close: () => void;
} {
  const database = new DatabaseSync(path);
  const look = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  return {
    length: () => {
      const row = look.get();
      return { log: Number(row?.['log']), checkpointed: Number(row?.['checkpointed']) };
    },
    close: () => database.close(),
  };
}

/** Pages that may wait in the log of a store with such a reserve. */
export function pagesOf(reserve: number): number {
  return reserve / 2 / 4096;
}

/** Writes some 100 pages by one commit. */
export async function fillLog(store: FileStore, name: string): Promise<void> {
  const scope = 'x'.repeat(1500);
  await inParallel(200, (n) => store.startLogin(loginNamed(`${name} ${n}`, { scope })));
}
