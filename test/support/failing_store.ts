// Owns a store whose verbs can be made to fail, one at a time, and that tells which were called.

import type { Store } from '../../src/store/contract.ts';
import { createMemoryStore } from '../../src/store/memory.ts';

export interface FailingStore {
  readonly store: Store;
  /** From now on the verb rejects before it changes anything. */
  readonly fail: (verb: keyof Store, error: Error) => void;
  /** From now on every verb works again. */
  readonly heal: () => void;
  /** Verbs in the order they were called, failed ones included. */
  readonly calls: string[];
}

/** A memory store with faults to plant in it. */
export function failingStore(): FailingStore {
  const faults = new Map<string | symbol, Error>();
  const calls: string[] = [];
  const store = new Proxy(createMemoryStore(), {
    get: (target, name) => {
      const verb: unknown = Reflect.get(target, name);
      if (typeof verb !== 'function') return verb;
      return (...given: unknown[]): unknown => {
        calls.push(String(name));
        const fault = faults.get(name);
        return fault === undefined ? Reflect.apply(verb, target, given) : Promise.reject(fault);
      };
    },
  });
  return {
    store,
    fail: (verb, error) => {
      faults.set(verb, error);
    },
    heal: () => faults.clear(),
    calls,
  };
}
