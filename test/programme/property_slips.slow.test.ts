// HOSTILE 58: a slip of the pen anywhere in a dialect either does not load, or is warned of, or changes
// nothing of what the dialect takes and of what a gateway lets pass.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { stringifyYaml } from '../../src/lib/yaml/yaml.ts';
import { effectiveDocument } from '../../src/rules/effective_document.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { fc, runs } from '../support/property.ts';
import type { PlainMap } from './property/dialect.ts';
import { assertPlaced } from './property/placed.ts';
import {
  assertComparisons,
  assertFloors,
  assertRoundTrip,
  compiled,
} from './property/round_trip.ts';
import { slipsIn } from './property/slips.ts';

const file = 'slip.yaml';

/** PROPERTY_RUNS=2500 looks at most of the slips there are. */
const tries = runs * 6;

/** Whole dialects, which leave nothing to a variant or a default: a slip can stand anywhere. */
const dialects = globSync(['programmes/*.yaml', 'test/dialects/*.yaml'])
  .toSorted()
  .map((path) => {
    const original = loadProgramme(path, readFileSync(path, 'utf8')).loaded;
    assert.ok(original, path);
    const dialect = effectiveDocument(original) as PlainMap;
    const { loaded, faults } = loadProgramme(file, stringifyYaml(dialect));
    assert.ok(loaded, path);
    const told = new Set(faults.map(({ message }) => message));
    return { path, dialect, before: compiled(loaded), told };
  });

/** By kind: those of inputs are so many that few of the others would be drawn. */
const slips = Map.groupBy(
  dialects.flatMap((one) => [...slipsIn(one.dialect)].map((slip) => ({ one, slip }))),
  ({ slip }) => slip.kind,
);
const anySlip = fc.oneof(...[...slips.values()].map((some) => fc.constantFrom(...some)));

test('every dialect takes its own requests as it stands', () => {
  for (const { before } of dialects) {
    assertRoundTrip(before);
    assertFloors(before.programme, before);
    assertComparisons(before, before);
  }
});

test('HOSTILE 58: a slip does not load, or is warned of, or weakens nothing', (t) => {
  const seen = { refused: 0, warned: 0, harmless: 0 };
  const property = fc.property(anySlip, ({ one, slip }) => {
    const text = stringifyYaml(slip.dialect);
    const { loaded, faults } = loadProgramme(file, text);
    assertPlaced(faults, { file, text });
    if (loaded === undefined) seen.refused += 1;
    else if (faults.some(({ message }) => !one.told.has(message))) seen.warned += 1;
    else {
      const after = { ...compiled(loaded), client: one.before.client };
      try {
        assertRoundTrip(after);
        assertFloors(one.before.programme, after);
        assertComparisons(one.before, after);
      } catch (error) {
        throw new Error(`${one.path}: ${slip.what}`, { cause: error });
      }
      seen.harmless += 1;
    }
  });
  fc.assert(property, { numRuns: tries });
  const counts = [...slips].map(([what, some]) => `${some.length} of ${what}`);
  t.diagnostic(`${counts.join(', ')}: ${JSON.stringify(seen)}`);
  for (const count of [seen.refused, seen.harmless]) assert.ok(count > tries / 20);
});
