// Shipped files with damage done to them: `check` never throws, is done within a second, and every
// fault it finds stands at a place in the file (HOSTILE 54, 55).

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { failureReasons } from '../../src/oauth/reasons.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { type LoadedProgramme, loadProgramme } from '../../src/rules/load.ts';
import { fc, runs } from '../support/property.ts';
import { mutations } from './property/mutations.ts';
import { assertPlaced } from './property/placed.ts';

const file = 'damaged.yaml';

const count = runs * 40;

const texts = globSync(['programmes/*.yaml', 'test/dialects/*.yaml', 'src/variants/*.yaml'])
  .toSorted()
  .map((path) => readFileSync(path, 'utf8'));

test('a damaged file has faults at their places or loads, and never takes long', (t) => {
  let [refused, slowest] = [0, 0];
  const property = fc.property(fc.constantFrom(...texts), mutations, (original, changes) => {
    const text = changes.reduce((changed, change) => change(changed), original);
    const before = process.cpuUsage();
    const { loaded, faults } = loadProgramme(file, text);
    // Processor time: what else the machine does is not the file's doing.
    const { user, system } = process.cpuUsage(before);
    slowest = Math.max(slowest, (user + system) / 1000);
    // On the slowest of machines; on most of them it is a tenth of a second.
    assert.ok(slowest < 4000, `took ${slowest} ms`);
    assertPlaced(faults, { file, text });
    const isFaulty = faults.some(({ severity }) => severity === 'error');
    assert.equal(isFaulty, loaded === undefined);
    if (loaded === undefined) refused += 1;
    else assertCompiles(loaded);
  });
  fc.assert(property, { numRuns: count });
  t.diagnostic(`slowest: ${Math.round(slowest)} ms; refused: ${refused} of ${count}`);
  assert.ok(refused > count / 4 && refused < count, `${refused} of ${count} files are refused`);
});

/** What loads can be served, whatever it says by now. */
function assertCompiles({ id, definition }: LoadedProgramme): void {
  const programme = compileProgramme(id, definition, 'https://tokens.example');
  for (const reason of failureReasons) {
    const { status, body } = programme.renderFailure(reason, { parameter: 'x', scope: 'y' });
    assert.ok(status >= 200 && status <= 599);
    const { encoding, before = '' } = definition.errors;
    if (encoding === 'json') JSON.parse(body.slice(before.length));
  }
}
