// Owns the check that the pages of docs/partners are what the programmes come to.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { makePartnerPages } from '../../scripts/reference/partner_pages.ts';

const root = join(import.meta.dirname, '../..');
const pages = makePartnerPages();

for (const [path, page] of pages) {
  test(`${path} is what npm run reference writes`, () => {
    const written = readFileSync(join(root, path), 'utf8');
    assert.ok(page === written, `${path} is out of date: run npm run reference`);
  });
}

test('every page of the folder is a programme’s, and its README names it', () => {
  const readme = readFileSync(join(root, 'docs/partners/README.md'), 'utf8');
  const there = globSync('docs/partners/*.md', { cwd: root }).filter(
    (path) => !path.endsWith('README.md'),
  );
  assert.deepEqual(new Set(there), new Set(pages.keys()));
  for (const path of pages.keys()) {
    assert.ok(readme.includes(`(${path.slice('docs/partners/'.length)})`), path);
  }
});
