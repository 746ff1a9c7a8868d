// Owns which places of `src` a test file reaches: by V8's coverage of its process and of every process
// that it starts, as far as those end by themselves.

import {
  appendFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { failureOf } from './judge.ts';

/** Of each source file the ranges that ran: start and end in turn. */
export type Reach = Readonly<Record<string, readonly number[]>>;

interface Coverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
  }[];
}

/**
 * The reach of each test, from a file that keeps it for the next run: the measurement takes half an hour.
 *
 * @param root a copy of the sources, whose tests then start the program from them and not from the bundle
 */
export async function measureReach(
  root: string,
  tests: readonly string[],
  path: string,
): Promise<Map<string, Reach>> {
  mkdirSync(dirname(path), { recursive: true });
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  const known = new Map(lines.map((line) => JSON.parse(line) as [string, Reach]));
  startFromSources(root);
  for (const test of tests.filter((one) => !known.has(one))) {
    const reach = await reachOf(root, test);
    known.set(test, reach);
    appendFileSync(path, `${JSON.stringify([test, reach])}\n`);
  }
  return known;
}

/** Coverage has the offsets of sources only where these are what is run. */
function startFromSources(root: string): void {
  const program = `// Stands in for the bundle.
import { join } from 'node:path';
const root = join(import.meta.dirname, '../..');
export const bundleOf = async (entry: string): Promise<string> => join(root, entry);
export const program: string = join(root, 'src/main.ts');
`;
  writeFileSync(join(root, 'test/support/program.ts'), program);
  // V8 counts functions of a compile cache as a whole.
  const command = join(root, 'test/cli/command.ts');
  writeFileSync(command, readFileSync(command, 'utf8').replace('NODE_COMPILE_CACHE:', 'UNUSED:'));
}

async function reachOf(root: string, test: string): Promise<Reach> {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-reach-'));
  const failure = await failureOf(root, test, { NODE_V8_COVERAGE: folder });
  if (failure !== undefined) console.error(`${test}: ${failure}`);
  const painted = new Map<string, Uint8Array>();
  for (const name of globSync('*.json', { cwd: folder })) {
    for (const { url, functions } of coverageIn(join(folder, name))) {
      const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
      if (file.startsWith('src/')) paint(painted, file, functions);
    }
  }
  rmSync(folder, { recursive: true });
  return Object.fromEntries([...painted].map(([file, ran]) => [file, rangesOf(ran)]));
}

/** Nothing of a process that was killed while it wrote. */
function coverageIn(path: string): readonly Coverage[] {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { result: readonly Coverage[] }).result;
  } catch {
    return [];
  }
}

function paint(
  painted: Map<string, Uint8Array>,
  file: string,
  functions: Coverage['functions'],
): void {
  const ranges = functions
    .flatMap((one) => one.ranges)
    // Outer ones first, over which the inner ones are painted.
    .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const ran = new Uint8Array(Math.max(...ranges.map(({ endOffset }) => endOffset)));
  for (const { startOffset, endOffset, count } of ranges)
    ran.fill(Math.min(count, 1), startOffset, endOffset);
  const before = painted.get(file);
  painted.set(
    file,
    ran.map((one, at) => one | (before?.[at] ?? 0)),
  );
}

function rangesOf(ran: Uint8Array): number[] {
  const edges = Array.from({ length: ran.length + 1 }, (_, at) => at);
  return edges.filter((at) => (ran[at] ?? 0) !== (ran[at - 1] ?? 0));
}

/** Whether a place ran, or what is before it: V8 counts an operator with its right operand. */
export function reaches(reach: Reach, file: string, at: number): boolean {
  const edges = reach[file] ?? [];
  return [at - 1, at].some((place) => edges.findIndex((edge) => edge > place) % 2 === 1);
}
