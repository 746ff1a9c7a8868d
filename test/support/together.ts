// Owns which test files share a process: a start of node, with all that is loaded and compiled anew,
// takes most of them longer than what they test. Run by itself it names the files for `node --test`.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * The files of each group, by the name of its file in `test/together`. They run one after another, so a
 * group is to be done in half a minute.
 */
const groups = {
  floors: ['test/{config,docs,engine,http,lib,members,oauth,schema,support,token}/**'],
  programmes: ['test/{clients,dialects,programme}/**'],
  cli: ['test/cli/*'],
  cli_server: ['test/cli/server/**'],
  cli_rest: ['test/cli/{entities,grammar,import,keys,manual}/**'],
  wire: ['test/wire/[a-h]*', 'test/wire/renamed/**'],
  wire_rest: ['test/wire/[i-z]*'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** What runs in a process of its own all the same. */
const apart = [
  // A group's length by themselves.
  'test/docs/fleet.test.ts',
  'test/docs/programme_schema.test.ts',
  'test/lib/yaml/limits.test.ts',
  'test/programme/checks/judged.test.ts',
  'test/programme/{property_*,partner/*}',
  // They list the process's metrics, count its threads, fill its one queue of hashes, or hold a
  // thousand connections.
  'test/docs/reference.test.ts',
  'test/members/hashing*',
  'test/wire/{hostile_browsers,hostile_slow,login_flood}.test.ts',
];

const testsIn = (patterns: readonly string[], exclude: readonly string[] = []): string[] =>
  globSync(
    patterns.map((pattern) => pattern.replace(/\*\*$/, '**/*')),
    { cwd: root, exclude },
  )
    .filter((path) => path.endsWith('.test.ts'))
    .toSorted();

/** What a file sets up for all tests of its process would be set up for those of other files, too. */
const hasHooks = (path: string): boolean =>
  /^(?:before|after)(?:Each)?\(/m.test(readFileSync(join(root, path), 'utf8'));

const filesOf = (group: keyof typeof groups): readonly string[] =>
  testsIn(groups[group], apart).filter((path) => !hasHooks(path));

/** Loads the tests of a group. */
export async function importGroup(group: keyof typeof groups): Promise<void> {
  for (const path of filesOf(group)) await import(join(root, path));
}

if (import.meta.main) {
  const names = Object.keys(groups) as (keyof typeof groups)[];
  const grouped = new Set(names.flatMap(filesOf));
  const others = testsIn(['test/**']).filter((path) => !grouped.has(path));
  console.log([...names.map((name) => `test/together/${name}.ts`), ...others].join('\n'));
}
