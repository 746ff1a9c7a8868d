// Owns the tests of the map that forgets its oldest entries.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BoundedMap } from '../../src/lib/bounded_map.ts';
import { fc } from '../support/property.ts';
import { heldBytes } from '../support/usage.ts';

const limit = 5;
const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

const step = fc.record({
  verb: fc.constantFrom('set', 'set', 'set', 'delete'),
  key: fc.constantFrom(...keys),
  /** Whether to ask for the oldest, which must change nothing. */
  looks: fc.boolean(),
});

test('holds as many as its limit, and the one that was set first goes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const map = new BoundedMap<string, number>(limit);
      /** In the order in which they were set first. */
      let model: (readonly [string, number])[] = [];
      for (const [n, { verb, key, looks }] of steps.entries()) {
        const rest = model.filter(([name]) => name !== key);
        if (verb === 'delete') {
          map.delete(key);
          model = rest;
        } else {
          map.set(key, n);
          model =
            rest.length < model.length
              ? model.map((entry) => (entry[0] === key ? ([key, n] as const) : entry))
              : [...model, [key, n] as const].slice(-limit);
        }
        if (looks) assert.equal(map.oldest(), model[0]?.[0]);
        assert.equal(map.size, model.length);
        const held = keys.flatMap((name) => {
          const value = map.get(name);
          return value === undefined ? [] : [[name, value] as const];
        });
        assert.deepEqual(new Map(held), new Map(model));
      }
    }),
  );
});

test('keeps to its order through all the lives of its keys', () => {
  const map = new BoundedMap<number, number>(limit);
  // Far more than the map is laid out for, in one life of its.
  for (let key = 0; key < 5000; key += 1) {
    map.set(key, key);
    if (key % 3 === 0) map.delete(key - 1);
    if (key % 7 === 0) map.set(key - 2, -1);
  }
  assert.equal(map.size, limit);
  for (let key = 0; key < 100; key += 1) map.set(key, key);
  const held = Array.from({ length: 5000 }, (_, key) => map.get(key)).filter(
    (n) => n !== undefined,
  );
  assert.deepEqual(held, [95, 96, 97, 98, 99]);
});

test('keeps nothing of entries that come and go while it is never full', () => {
  const map = new BoundedMap<number, number>(1000);
  const before = heldBytes();
  for (let key = 0; key < 200_000; key += 1) {
    map.set(key, key);
    map.delete(key);
  }
  const grown = heldBytes() - before;
  assert.equal(map.size, 0);
  assert.ok(grown < 4_000_000, `${grown} bytes more`);
});

test('finds the oldest again after more have gone than it holds', () => {
  const map = new BoundedMap<string, number>(3);
  for (const key of ['a', 'b']) map.set(key, 0);
  assert.equal(map.oldest(), 'a');
  for (let n = 0; n < 10; n += 1) {
    map.set('passing', n);
    map.delete('passing');
    assert.equal(map.oldest(), 'a');
  }
  map.delete('a');
  assert.equal(map.oldest(), 'b');
});
