// Owns running the Store contract against the memory store.

import { openMemoryStore } from '../../../src/store/sqlite/store.ts';
import { describeStoreContract } from '../contract.ts';

describeStoreContract('memory', async () => {
  const store = openMemoryStore();
  return { store, close: () => store.close() };
});
