// Owns the program as tests start it: the bundle that the executable is made of, run by node. It starts
// in a third of the time that the sources take, and is made anew when one of them has changed.

import { globSync, mkdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { changedAt } from '../../scripts/build.ts';
import { bundledModule } from '../../scripts/build/bundle.ts';

const root = join(import.meta.dirname, '../..');

/** Where sources look for what is shipped beside them, seen from here as from there: `../..`. */
const folder = join(root, 'dist/tests');

/** What a bundle is made from beside its entry. A folder counts too: its time tells that a file went away. */
const inputs = [
  'package.json',
  'package-lock.json',
  'scripts/build.ts',
  'scripts/build/**',
  'src/**',
  'test/store/*.ts',
  'test/support/shifted_time.ts',
];

/** The bundle of an entry, by its path from the root; several processes may ask at once. */
export async function bundleOf(entry: string): Promise<string> {
  const path = join(folder, basename(entry).replace(/\.ts$/, '.mjs'));
  const built = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const changes = [...globSync(inputs, { cwd: root }), entry].map((input) =>
    changedAt(join(root, input)),
  );
  if (built > Math.max(...changes)) return path;
  const begun = new Date();
  const source = await bundledModule(entry);
  mkdirSync(folder, { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, source);
  // What is changed from here on is younger.
  utimesSync(draft, begun, begun);
  renameSync(draft, path);
  return path;
}

/** `jetway`, for node to run. */
export const program: string = await bundleOf('src/main.ts');
