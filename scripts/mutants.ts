// Owns `npm run mutants`: small changes of `src` that each break a promise, and whether tests find them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { runCampaign } from './campaign.ts';
import {
  type Change,
  copySources,
  distance,
  isOfFile,
  judge,
  planted,
  testFiles,
  type Trial,
  type Verdict,
} from './mutants/judge.ts';

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
  return text.split(',').map((one) => {
    const mutant = list.find(({ id }) => id === Number(one));
    if (mutant === undefined) throw new Error(`the list has no mutant ${one}`);
    return mutant;
  });
}

/** The test that the list names: a file, and a test in it unless it fails as a whole. */
function killerOf({ since, verdict }: Mutant): Trial | undefined {
  const listed = since ?? verdict;
  if (listed === undefined || !('killed' in listed)) return undefined;
  const { killed, test } = listed;
  return isOfFile(test) ? [killed] : [killed, test];
}

/** Plants mutants in a copy of the commit, each until a test fails: the one that the list names, or any other. */
async function run(
  folder: string,
  mutants: readonly Mutant[],
  progress: (text: string) => void,
): Promise<ReadonlyMap<number, Verdict>> {
  copySources(root, folder);
  const found = new Map<number, Verdict>();
  for (const mutant of mutants) {
    const { verdict: listed } = mutant;
    const killer = killerOf(mutant);
    const others = testFiles(root).toSorted(
      (one, other) => distance(one, mutant) - distance(other, mutant),
    );
    const trials: readonly Trial[] = [
      ...(killer === undefined ? [] : ([killer, [killer[0]]] as const)),
      ...others.map((file) => [file] as const),
    ];
    // One whose change means nothing is left alone.
    const isLeft = killer === undefined && listed !== undefined && 'equivalent' in listed;
    const verdict = isLeft ? listed : await judge(folder, mutant, trials);
    found.set(mutant.id, verdict);
    progress(`${mutant.id} ${mutant.file} ${mutant.function}: ${JSON.stringify(verdict)}\n`);
  }
  return found;
}

function record(found: ReadonlyMap<number, Verdict>): void {
  const rows = list.map(({ since, ...mutant }) => {
    const verdict = found.get(mutant.id);
    if (verdict === undefined) return { ...mutant, ...(since && { since }) };
    return since === undefined ? { ...mutant, verdict } : { ...mutant, since: verdict };
  });
  writeFileSync(listPath, `${JSON.stringify(rows, null, 2)}\n`);
}

/** Mutants whose lines are gone, to be planted anew where the function went, and tests that are gone. */
function missing(): readonly string[] {
  const tests = new Set(testFiles(root));
  return list.flatMap((mutant) => {
    const [killer] = killerOf(mutant) ?? [];
    if (killer !== undefined && !tests.has(killer)) {
      return [`${mutant.id} ${mutant.function}: there is no ${killer}`];
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
    command: 'mutants',
    numbers: {},
    texts: { only: ['N,N', 'these mutants of the list; all of them if left out'] },
    flags: {
      record: 'writes the verdicts into the list',
      check: "tells only which mutants' lines and tests are gone",
    },
    fails: 'when lines or tests are gone, or a mutant survives',
  },
  async ({ only, record: records, check }, { folder, progress }) => {
    const text = `${list.length} mutants`;
    const gone = missing();
    if (check === true || gone.length > 0) return { figures: { gone }, text, faults: gone };
    const mutants = only === undefined ? list : chosen(only);
    const found = await run(join(folder, 'planted'), mutants, progress);
    if (records === true) record(found);
    const faults = [...found].flatMap(([id, verdict]) =>
      'survived' in verdict ? [`${id} survives ${verdict.survived} tests`] : [],
    );
    return { figures: { verdicts: Object.fromEntries(found) }, text, faults };
  },
);
