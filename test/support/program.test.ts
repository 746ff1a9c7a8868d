// Tests of the bundles that tests start.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';

import { bundleOf } from './program.ts';
import { scratchFolder } from './scratch.ts';

test('a bundle is made anew for whatever has changed, however old that says it is', async (t) => {
  const entry = join(scratchFolder(t, 'bundle'), `entry-${process.pid}.ts`);
  const bundle = (): Promise<string> =>
    bundleOf(relative(join(import.meta.dirname, '../..'), entry));
  writeFileSync(entry, `console.log('before')`);
  const path = await bundle();
  t.after(() => rmSync(path));
  assert.match(readFileSync(path, 'utf8'), /before/);
  writeFileSync(entry, `console.log('after')`);
  // As a copy from another machine is.
  utimesSync(entry, 0, 0);
  assert.equal(await bundle(), path);
  assert.match(readFileSync(path, 'utf8'), /after/);
});
