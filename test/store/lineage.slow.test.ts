// Owns the search for a history of refreshes that breaks a promise (docs/decisions/031).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { instant } from '../../src/lib/clock.ts';
import type { Store } from '../../src/store/contract.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { explore, type Happening } from './lineage.ts';

/** Enough for every history of some ten steps. */
const most = 5000;

const scopes: readonly (readonly [readonly Happening[], grace: number, requests: number])[] = [
  [['lost answers'], 10, 4],
  [['lost answers'], 0, 4],
  [['lost answers', 'a revocation'], 10, 3],
  [['lost answers', 'sweeps'], 10, 3],
  [['a thief', 'lost answers'], 10, 4],
  [['a thief', 'lost answers'], 0, 4],
];

describe('HOSTILE 29, 30: no history of refreshes breaks a promise', () => {
  for (const [happenings, grace, requests] of scopes) {
    test(`with ${happenings.join(', ')}, grace ${grace} s`, async (t) => {
      const found = await explore({ happenings, grace, requests, most }, openMemoryStore);
      t.diagnostic(`${found.worlds} worlds: ${JSON.stringify(found.seen)}`);
      assert.deepEqual(found.faults, {});
      // A search that gets nowhere would prove nothing.
      const expected = [
        'rotate',
        'unknown',
        'changed meanwhile',
        'reuse',
        ...(grace > 0 ? ['retry'] : []),
      ];
      for (const verdict of expected) assert.ok((found.seen[verdict] ?? 0) > 0, verdict);
    });
  }
});

describe('the search finds what a store does wrong', () => {
  const cases: readonly (readonly [
    string,
    Happening[],
    string,
    (store: Store) => Partial<Store>,
  ])[] = [
    [
      'a store that advances a login that has changed',
      [],
      'two answers for one generation',
      (store) => {
        const advance = store.advanceLogin.bind(store);
        return {
          advanceLogin: async (programme, place, _from, to) => {
            const last = await store.findLogin(programme, place);
            return last !== undefined && advance(programme, place, last, to);
          },
        };
      },
    ],
    [
      'a store that forgets to revoke',
      ['a thief'],
      'reuse left the login alive',
      () => ({ revoke: async () => {} }),
    ],
    [
      'a store that sweeps too soon',
      ['sweeps'],
      'a login went that could be used',
      (store) => {
        const sweep = store.sweep.bind(store);
        return { sweep: (now, limit) => sweep(instant(now + 30_000), limit) };
      },
    ],
  ];
  for (const [name, happenings, fault, change] of cases) {
    test(name, async () => {
      const found = await explore({ happenings, grace: 10, requests: 3, most }, () => {
        const store = openMemoryStore();
        return Object.assign(store, change(store));
      });
      assert.ok(fault in found.faults, JSON.stringify(found.faults));
    });
  }
});
