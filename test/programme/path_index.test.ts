// Tests of the index of paths against the definition of overlapping.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { PathIndex } from '../../src/programme/path_index.ts';

const segment = fc.constantFrom('a', 'b', 'verify', 'a-b', '.well-known');
const path = fc
  .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([segments, isPattern]) => `/${segments.join('/')}${isPattern ? '/*' : ''}`);

/** Whether one request path could match both. */
function overlap(one: string, other: string): boolean {
  const isBelow = (below: string, pattern: string): boolean =>
    pattern.endsWith('/*') && below.startsWith(pattern.slice(0, -1));
  return one === other || isBelow(one, other) || isBelow(other, one);
}

test('C-2: every path that overlaps is found, and no other', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 12 }), path, (added, asked) => {
      const index = new PathIndex();
      for (const one of added) index.add(one);
      const expected = new Set(added.filter((one) => overlap(one, asked)));
      assert.deepEqual(new Set(index.overlapping(asked)), expected);
    }),
  );
});
