// Owns which test files share a process, since a start of node, with all that is loaded and compiled anew,
// takes most of them longer than what they test; and which begin first. Run by itself it names the files
// for `node --test`.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * The files of each group, by the name of its file in `test/together`. They run one after another, so a
 * group is to be done in a minute.
 */
const groups = {
  floors: ['test/{audit,config,docs,engine,http,lib,members,oauth,schema,support,token}/**'],
  programmes: ['test/{clients,dialects,programme}/**'],
  cli: ['test/cli/*'],
  cli_server: ['test/cli/server/*'],
  cli_server_parts: ['test/cli/server/*/**'],
  cli_rest: ['test/cli/{entities,grammar,import,keys,manual}/**'],
  // They share a PostgreSQL.
  postgres: ['test/store/postgres/**'],
  store: ['test/store/*', 'test/store/{carry,fleet,memory,sqlite}/**'],
  wire: ['test/wire/[a-h]*', 'test/wire/renamed/**'],
  wire_rest: ['test/wire/[i-z]*'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Most of a group's length by themselves: processes of their own, which begin first, as the groups do. */
const long = [
  'test/browser/login.test.ts',
  'test/cli/dev/dev.test.ts',
  'test/docs/fleet.test.ts',
  'test/faults/{audit,command_clock,handover,hostile_http,log_reader,nodes,shutdown}.test.ts',
  'test/store/postgres/store.test.ts',
  'test/wire/hostile_slow.test.ts',
];

/** What else runs in a process of its own all the same. */
const apart = [
  'test/docs/programme_schema.test.ts',
  'test/lib/yaml/limits.test.ts',
  'test/programme/{property_*,partner/*}',
  // They list the process's metrics, count its threads, fill its one queue of hashes, or hold a
  // thousand connections.
  'test/docs/reference.test.ts',
  'test/members/hashing*',
  'test/wire/{hostile_browsers,login_flood}.test.ts',
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
  testsIn(groups[group], [...long, ...apart]).filter((path) => !hasHooks(path));

/** Loads the tests of a group. */
export async function importGroup(group: keyof typeof groups): Promise<void> {
  for (const path of filesOf(group)) await import(join(root, path));
}

if (import.meta.main) {
  // Once: processes that begin at the same time would each make what is stale.
  const { bundleOf } = await import('./program.ts');
  await bundleOf('test/cli/command_process.ts');
  const names = Object.keys(groups) as (keyof typeof groups)[];
  const grouped = new Set(names.flatMap(filesOf));
  const others = testsIn(['test/**'], long).filter((path) => !grouped.has(path));
  // `node --test` sorts them: whole paths come before those from the root. A long one that began last
  // would run alone in the end.
  const first = [...names.map((name) => `test/together/${name}.ts`), ...testsIn(long)];
  console.log([...first.map((path) => join(root, path)), ...others].join('\n'));
}
