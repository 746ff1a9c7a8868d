// Owns the check that each recipe of docs/recipes.md loads, and that `check` warns of what it says.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/recipes.md'), 'utf8');
const sections = page.split(/^(?=##+ )/m).filter((section) => section.startsWith('### '));

/** The names in the line of a recipe that tells of warnings. */
function warningsIn(section: string): readonly string[] {
  const [, names = ''] = /^Warnings?: (.+)\.$/m.exec(section) ?? [];
  return [...names.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name);
}

test('each recipe has one programme file', () => {
  assert.ok(sections.length > 30);
  assert.equal(page.match(/^```yaml$/gm)?.length, sections.length);
});

for (const section of sections) {
  const title = section.slice(4, section.indexOf('\n'));
  test(`${title}: it loads, with the warnings that the page tells`, () => {
    const [, text = ''] = /^```yaml\n([^]*?)^```$/m.exec(section) ?? [];
    const head = 'name: Recipe Club\nprogramme_identifier: RecipeClub\nbase_path: /recipe\n';
    const { loaded, faults } = loadProgramme('recipe.yaml', text + head);
    assert.ok(loaded, faults.map(formatFault).join('\n'));
    const names = faults.map(({ name }) => name).filter((name) => name !== 'both_refused');
    assert.deepEqual(names.toSorted(), warningsIn(section).toSorted());
    compileProgramme(loaded.id, loaded.definition, 'https://tokens.example', loaded.logos);
  });
}
