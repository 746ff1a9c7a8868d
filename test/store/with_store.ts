// Owns what a backend gives its tests, and running a test against a fresh store.

import { test } from 'node:test';

import type { Store } from '../../src/store/contract.ts';

/** A store under test, empty at first. */
export interface OpenStore {
  readonly store: Store;
  /** Another store on the same records, as another process has; absent where there can be none. */
  readonly another?: () => Promise<Store>;
  /** Closes the store and opens its records again; absent where they end with it. */
  readonly reopen?: () => Promise<Store>;
  /** Closes everything that was opened and removes it. */
  readonly close: () => Promise<void>;
}

export type Open = () => Promise<OpenStore>;

/** A test named `name` that gets a store from `open`. */
export function withStore(
  open: Open,
  name: string,
  body: (opened: OpenStore) => Promise<void>,
): void {
  test(name, async () => {
    const opened = await open();
    try {
      await body(opened);
    } finally {
      await opened.close();
    }
  });
}
