// Owns which tests `npm test` and `npm run test:slow` run, and how: which files share a process, since a
// start of node, with all that is loaded and compiled anew, takes most of them longer than what they test;
// and which begin first. Run by itself with `quick` or `slow` it names the files for `node --test`.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * The files of each group, by the name of its file in `test/together`. They run one after another, so a
 * group is to be done in a minute.
 */
const groups = {
  floors: ['test/{audit,config,docs,engine,http,lib,members,oauth,schema,support,token}/**'],
  programmes: ['test/{clients,contract,dialects,programme}/**'],
  cli: ['test/cli/*'],
  server: ['test/server/*'],
  server_parts: ['test/server/*/**'],
  cli_rest: ['test/cli/{entities,grammar,import,keys,manual,programmes}/**'],
  // They share a PostgreSQL.
  postgres: ['test/store/{admin,postgres}/**'],
  contract: ['test/store/contract/**'],
  store: ['test/store/*', 'test/store/{fleet,sql,sqlite}/**'],
  wire: ['test/wire/[a-h]*', 'test/wire/renamed/**'],
  wire_rest: ['test/wire/[i-z]*'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** What else runs in a process of its own all the same. */
const apart = [
  'test/docs/programme_schema.test.ts',
  'test/contract/partner/*',
  // They list the process's metrics, or count its threads.
  'test/docs/reference.test.ts',
  'test/members/hashing*',
];

/** Of the slow ones those that take longest, and begin first: begun last, one would run alone in the end. */
const slowest = [
  'test/cli/dev/dev.slow.test.ts',
  'test/browser/login.slow.test.ts',
  'test/server/{reload,workers/pool}.slow.test.ts',
  'test/docs/fleet.slow.test.ts',
  'test/faults/{audit,clock,handover,nodes}.slow.test.ts',
  'test/wire/hostile_passwords.slow.test.ts',
];

const testsIn = (patterns: readonly string[], exclude: readonly string[] = []): string[] =>
  globSync(
    patterns.map((pattern) => pattern.replace(/\*\*$/, '**/*')),
    { cwd: root, exclude },
  )
    .filter((path) => path.endsWith('.test.ts'))
    .toSorted();

/** Slow by nature, and run by `npm run test:slow` alone; the name says so. */
const isSlow = (path: string): boolean => path.endsWith('.slow.test.ts');

/** What a file sets up for all tests of its process would be set up for those of other files, too. */
const hasHooks = (path: string): boolean =>
  /^(?:before|after)(?:Each)?\(/m.test(readFileSync(join(root, path), 'utf8'));

type GroupName = keyof typeof groups;

const filesOf = (group: GroupName): readonly string[] =>
  testsIn(groups[group], apart).filter((path) => !isSlow(path) && !hasHooks(path));

/** Loads the tests of a group. */
export async function importGroup(group: GroupName): Promise<void> {
  for (const path of filesOf(group)) await import(join(root, path));
}

/** A process of a run: the file that node is given, and the test files that it runs. */
export interface TestProcess {
  readonly file: string;
  readonly tests: readonly string[];
}

const alone = (path: string): TestProcess => ({ file: path, tests: [path] });

/** `node --test` sorts the files: whole paths come before those from the root. */
const begunFirst = ({ file, tests }: TestProcess): TestProcess => ({
  file: join(root, file),
  tests,
});

/** The processes of `npm test`, or of `npm run test:slow`. */
export function testProcesses(speed: 'quick' | 'slow'): readonly TestProcess[] {
  if (speed === 'slow') {
    const others = testsIn(['test/**'], slowest).filter(isSlow);
    return [...testsIn(slowest).map(alone).map(begunFirst), ...others.map(alone)];
  }
  const together = Object.keys(groups).map((name) => {
    return { file: `test/together/${name}.ts`, tests: filesOf(name as GroupName) };
  });
  const grouped = new Set(together.flatMap(({ tests }) => tests));
  const others = testsIn(['test/**']).filter((path) => !isSlow(path) && !grouped.has(path));
  return [...together.map(begunFirst), ...others.map(alone)];
}

if (import.meta.main) {
  const [speed] = process.argv.slice(2);
  if (speed !== 'quick' && speed !== 'slow') throw new Error('say which tests: quick or slow');
  // Once: processes that begin at the same time would each make what is stale.
  const { bundleOf } = await import('./program.ts');
  await bundleOf('test/cli/command_process.ts');
  const files = testProcesses(speed).map(({ file }) => file);
  console.log(files.join('\n'));
}
