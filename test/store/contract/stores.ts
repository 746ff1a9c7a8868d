// Owns which stores keep the contract: in memory, in a file, in PostgreSQL. Each test of it is run on each.

import { describe } from 'node:test';

import { openMemoryStore } from '../../../src/store/sqlite/store.ts';
import { without } from '../../support/tools.ts';
import { openScratchStore } from '../file_directory.ts';
import { openScratchPostgres } from '../postgres/scratch.ts';
import { type Open, type StoreTest, storeTest } from '../with_store.ts';

export const stores: Readonly<Record<'memory' | 'file' | 'postgres', Open>> = {
  memory: async () => {
    const store = openMemoryStore();
    return { store, close: () => store.close() };
  },
  file: openScratchStore,
  postgres: openScratchPostgres,
};

/** Declares tests about one kind of record, on each store, or on those of these names. */
export function eachStore(
  about: string,
  tests: (check: StoreTest) => void,
  names: readonly string[] = Object.keys(stores),
): void {
  for (const [name, open] of Object.entries(stores)) {
    if (!names.includes(name)) continue;
    const skip = name === 'postgres' && without('postgres');
    describe(`store contract: ${name}: ${about}`, { skip, concurrency: 4 }, () =>
      tests(storeTest(open)),
    );
  }
}
