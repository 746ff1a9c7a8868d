// Owns the interface between a backend and its tests, and running a test against a fresh store.

import { test } from 'node:test';

import type { Store } from '../../src/store/contract.ts';
import type { Kind } from '../../src/store/kinds.ts';

/** A store under test, empty at first. */
export interface OpenStore {
  readonly store: Store;
  /** Another store on the same records, as another process has; absent where there can be none. */
  readonly another?: () => Promise<Store>;
  /** Closes the store and opens its records again; absent where they end with it. */
  readonly reopen?: () => Promise<Store>;
  /** Damages the record of a registered thing, behind the store's back; absent where there are no rows. */
  readonly damage?: (kind: Kind, id: string) => Promise<void>;
  /** Closes everything that was opened and removes it. */
  readonly close: () => Promise<void>;
}

export type Open = () => Promise<OpenStore>;

/** An open store, and its substitutes for what the backend may lack: the store itself. */
export interface StoreScene extends OpenStore {
  readonly elsewhere: () => Promise<Store>;
  readonly reopened: () => Promise<Store>;
}

/** Declares a test of a fresh store. */
export type StoreTest = (name: string, body: (scene: StoreScene) => Promise<void>) => void;

/** Declares tests which each get a store from `open`. */
export function storeTest(open: Open): StoreTest {
  return (name, body) =>
    void test(name, async () => {
      const opened = await open();
      const { store, another, reopen } = opened;
      const itself = async (): Promise<Store> => store;
      try {
        await body({ ...opened, elsewhere: another ?? itself, reopened: reopen ?? itself });
      } finally {
        await opened.close();
      }
    });
}
