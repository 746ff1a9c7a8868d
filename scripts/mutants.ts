// Owns `npm run mutants`: small changes of `src` that each break a promise, and whether tests find them.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { runCampaign } from './campaign.ts';
import {
  type Change,
  copySources,
  distance,
  judge,
  plant,
  planted,
  testFiles,
  type Verdict,
} from './mutants/judge.ts';
import { measureReach, reaches } from './mutants/reach.ts';

const usage = `npm run mutants -- [options]
  --run N,N     runs mutants of the list against the tests that reach their lines; or --run all
  --known       of --run: against the test alone that the list names
  --record      writes the verdicts of --run into the list
  --plant N,N   writes mutants into the sources of this checkout
  --check       tells which mutants' lines are no longer found
Exits 1 when lines are not found, or a mutant that the list has as killed survives.`;

interface Mutant extends Change {
  readonly id: number;
  /** What the sources promise and the change breaks. */
  readonly promise: string;
  readonly verdict?: Verdict;
  /** The test that was written because none had found it. */
  readonly since?: Verdict;
}

const root = join(import.meta.dirname, '..');
const listPath = join(import.meta.dirname, 'mutants/list.json');
const list = JSON.parse(readFileSync(listPath, 'utf8')) as readonly Mutant[];

function chosen(text: string): readonly Mutant[] {
  if (text === 'all') return list;
  return text.split(',').map((one) => {
    const mutant = list.find(({ id }) => id === Number(one));
    if (mutant === undefined) throw new Error(`the list has no mutant ${one}`);
    return mutant;
  });
}

/** Where a change begins to differ. */
function placeOf({ file, before, after }: Change): number {
  let same = 0;
  while (before[same] === after[same]) same += 1;
  return readFileSync(join(root, file), 'utf8').indexOf(before) + same;
}

/** The tests that reach a mutant, and those of its folder, which may kill the processes that reach it. */
async function testsOf(folder: string, mutant: Mutant): Promise<string[]> {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root }).toString();
  const path = join(root, 'dist/mutants', `${commit.trim()}.jsonl`);
  const tests = testFiles(root);
  const reach = await measureReach(folder, tests, path);
  return tests
    .filter(
      (test) =>
        distance(test, mutant) <= 2 || reaches(reach.get(test) ?? {}, mutant.file, placeOf(mutant)),
    )
    .toSorted((one, other) => distance(one, mutant) - distance(other, mutant));
}

/** Runs mutants; those that the list has as killed and that survive are faults. */
async function run(
  folder: string,
  mutants: readonly Mutant[],
  {
    known: isKnownOnly = false,
    record: records = false,
  }: { readonly known?: boolean; readonly record?: boolean },
): Promise<readonly string[]> {
  copySources(root, join(folder, 'planted'));
  copySources(root, join(folder, 'measured'));
  const worse: string[] = [];
  const found = new Map<number, Verdict>();
  for (const mutant of mutants) {
    const listed = mutant.since ?? mutant.verdict;
    const known = listed !== undefined && 'killed' in listed ? [listed.killed] : [];
    let verdict = await judge(join(folder, 'planted'), mutant, known);
    if (!('killed' in verdict) && !isKnownOnly) {
      const tests = await testsOf(join(folder, 'measured'), mutant);
      verdict = await judge(join(folder, 'planted'), mutant, tests);
    }
    found.set(mutant.id, verdict);
    if (known.length > 0 && !('killed' in verdict))
      worse.push(`the list has ${mutant.id} as killed`);
    console.log(`${mutant.id} ${mutant.file} ${mutant.function}: ${JSON.stringify(verdict)}`);
  }
  if (records) {
    const rows = list.map((mutant) => {
      const verdict = found.get(mutant.id);
      return verdict === undefined ? mutant : { ...mutant, verdict };
    });
    writeFileSync(listPath, `${JSON.stringify(rows, null, 2)}\n`);
  }
  return worse;
}

/** Mutants whose lines are gone, to be planted anew where the function went, and tests that are gone. */
function missing(): readonly string[] {
  const tests = new Set(testFiles(root));
  return list.flatMap((mutant) => {
    const listed = mutant.since ?? mutant.verdict;
    if (listed !== undefined && 'killed' in listed && !tests.has(listed.killed)) {
      return [`${mutant.id} ${mutant.function}: there is no ${listed.killed}`];
    }
    try {
      planted(readFileSync(join(root, mutant.file), 'utf8'), mutant);
      return [];
    } catch (error) {
      return [`${mutant.id} ${mutant.function}: ${String(error)}`];
    }
  });
}

await runCampaign(
  {
    name: 'mutants',
    usage,
    numbers: {},
    texts: ['run', 'plant'],
    flags: ['known', 'record', 'check'],
  },
  async (options, { folder }) => {
    const planting = options.plant === undefined ? [] : chosen(options.plant);
    for (const mutant of planting) plant(root, mutant);
    const faults = [
      ...(options.check === true ? missing() : []),
      ...(options.run === undefined ? [] : await run(folder, chosen(options.run), options)),
    ];
    return { figures: { mutants: list.length }, text: `${list.length} mutants`, faults };
  },
);
