// Each mark covers the one before it: a line of another history under the same key has no place.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { beginning, chainUnder } from '../../src/audit/chain.ts';

test('a line follows the line it was written after, and no other with the same number', () => {
  const chain = chainUnder(new Uint8Array(32));
  const one = chain.line(beginning, 0, '"event":"one"');
  const other = chain.line(beginning, 0, '"event":"other"');
  const next = chain.line(one, 99, '"event":"next"');
  assert.equal(chain.follows(one.mark, next), true);
  assert.equal(chain.follows(other.mark, next), false);
});
