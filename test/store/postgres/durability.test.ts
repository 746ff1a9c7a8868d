// Owns the promise that a store tells how many standbys its commits wait for, in every form of the setting.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { replicasIn } from '../../../src/store/postgres/durability.ts';

for (const [names, replicas] of [
  ['', 0],
  [' ', 0],
  ['*', 1],
  ['one', 1],
  ['one, two', 1],
  ['2 (one, two, three)', 2],
  ['ANY 1 (one, two)', 1],
  ['any 2 (*)', 2],
  ['FIRST 3 (one, two, three)', 3],
] as const) {
  test(`commits wait for ${replicas} standbys: '${names}'`, () => {
    assert.equal(replicasIn(names), replicas);
  });
}
