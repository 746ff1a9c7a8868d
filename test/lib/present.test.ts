// Owns tests of leaving undefined properties out.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/lib/present.ts';

test('undefined properties are left out; null, false and empty text stay, in their order', () => {
  const left = present({ b: undefined, c: null, a: '', d: false });
  assert.deepEqual(Object.entries(left), [
    ['c', null],
    ['a', ''],
    ['d', false],
  ]);
});
