// Owns a store whose verbs can be made to fail, one at a time, and that tells which were called.

import type { Store } from '../../src/store/contract.ts';
import type { Kind } from '../../src/store/kinds.ts';
import type { Registry } from '../../src/store/registry.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';

/** A verb of the store; a verb of registered things with their kind. */
export type FailingVerb = Exclude<keyof Store, keyof Registry> | `${keyof Registry} ${Kind}`;

const registryVerbs: readonly string[] = [
  'add',
  'find',
  'findBy',
  'list',
  'change',
  'changeAll',
  'remove',
] satisfies readonly (keyof Registry)[];

export interface FailingStore {
  readonly store: Store;
  /** From now on the verb rejects before it changes anything. */
  readonly fail: (verb: FailingVerb, error: Error) => void;
  /** From now on every verb works again. */
  readonly heal: () => void;
  /** Holds the next call of the verb back, before it does anything. */
  readonly hold: (verb: FailingVerb) => Held;
  /** Verbs in the order they were called, failed ones included. */
  readonly calls: string[];
}

export interface Held {
  /** Settles once there is such a call. */
  readonly waiting: Promise<void>;
  readonly letGo: () => void;
}

/** A store with faults to plant in it. */
export function failingStore(whole: Store = openMemoryStore()): FailingStore {
  const faults = new Map<string, Error>();
  const gates = new Map<string, { readonly arrive: () => void; readonly open: Promise<void> }>();
  const calls: string[] = [];
  const store = new Proxy(whole, {
    get: (target, property) => {
      const verb: unknown = Reflect.get(target, property);
      if (typeof verb !== 'function') return verb;
      const call = (given: unknown[]): unknown => Reflect.apply(verb, target, given);
      return (...given: unknown[]): unknown => {
        const called = String(property);
        const name = registryVerbs.includes(called) ? `${called} ${String(given[0])}` : called;
        calls.push(name);
        const fault = faults.get(name);
        if (fault !== undefined) return Promise.reject(fault);
        const gate = gates.get(name);
        gates.delete(name);
        gate?.arrive();
        return gate === undefined ? call(given) : gate.open.then(() => call(given));
      };
    },
  });
  return {
    store,
    fail: (verb, error) => {
      faults.set(verb, error);
    },
    heal: () => faults.clear(),
    hold: (verb) => {
      const [arrival, opening] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      gates.set(verb, { arrive: arrival.resolve, open: opening.promise });
      return { waiting: arrival.promise, letGo: opening.resolve };
    },
    calls,
  };
}
