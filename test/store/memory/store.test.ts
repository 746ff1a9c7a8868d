// Owns running the Store contract against the memory store.

import { createMemoryStore } from '../../../src/store/memory/store.ts';
import { describeStoreContract } from '../contract.ts';

describeStoreContract('memory', async () => {
  const store = createMemoryStore();
  return { store, close: () => store.close() };
});
