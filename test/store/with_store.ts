// Owns running a test against a fresh store, closed again whatever happens.

import { test } from 'node:test';

import type { Open, OpenStore } from './contract.ts';

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
