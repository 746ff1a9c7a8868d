// Headers that tell of a limit, where a programme has none (G-18).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { loadProgramme } from '../../src/rules/load.ts';

test('G-18: headers that tell of a limit do not load where the programme has none', () => {
  const yaml = readFileSync('programmes/second-club.yaml', 'utf8');
  const { loaded, faults } = loadProgramme(
    'a.yaml',
    `${yaml}\nthrottle: { headers: { X-Left: remaining } }\n`,
  );
  assert.equal(loaded, undefined);
  const errors = faults.filter(({ severity }) => severity === 'error');
  assert.deepEqual(
    errors.map(({ message }) => message),
    ['"limit" is missing', '"window" is missing'],
  );
});
