// Owns the proof that each fault of the fleet campaign can still be planted: the campaign itself runs for
// too long to be the first to notice that a source has changed.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { patches, planted, plants } from '../../../scripts/fleet/plants.ts';

for (const plant of plants.filter((one) => patches[one].length > 0)) {
  test(`FAULTS 13: the fault "${plant}" has its place in the sources`, () => {
    for (const { file } of patches[plant]) {
      const path = join(import.meta.dirname, '../../..', file);
      const text = readFileSync(path, 'utf8');
      assert.notEqual(planted(plant, path, text), text);
    }
  });
}
