// Owns `npm run mutants`: small changes of `src` that each break a promise, planted in a copy of the sources,
// and whether the tests that are to find them do.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { runCampaign } from './campaign.ts';

/** A change of code, named so that it can be planted after the code has moved. */
interface Mutant {
  readonly id: number;
  readonly file: string;
  /** The functions and classes around it, outermost first. */
  readonly function: string;
  /** Whole lines; they stand once in the file. */
  readonly before: string;
  readonly after: string;
  readonly verdict: Verdict;
  /** The test that was written because none had found it. */
  readonly since?: Verdict;
}

/**
 * A test file and the test in it that fails, or how else the file fails; by how many files it was not found; or
 * why no test could find it.
 */
type Verdict =
  | { readonly killed: string; readonly test: string }
  | { readonly survived: number }
  | { readonly equivalent: string };

/** Milliseconds after which a test file counts as failed, since a mutant may loop for ever. */
const longestRun = 180_000;

const root = join(import.meta.dirname, '..');
const listPath = join(import.meta.dirname, 'mutants/list.json');
const list = JSON.parse(readFileSync(listPath, 'utf8')) as readonly Mutant[];

/** A test file, and its one test that is run, if not all are. */
type Trial = readonly [file: string, name?: string];

/** The test that the list names, then its file; none for a change that means nothing. */
function trialsOf({ id, since, verdict }: Mutant): readonly Trial[] {
  const listed = since ?? verdict;
  if ('equivalent' in listed) return [];
  if (!('killed' in listed)) throw new Error(`the list names no test that finds ${id}`);
  const { killed, test } = listed;
  // A file that does not end, or fails before its first test, has no test to name.
  return /^(?:no end|no test|exit code)\b/.test(test) ? [[killed]] : [[killed, test], [killed]];
}

/** The text of a file with the change; throws if its lines are not found once. */
function planted(text: string, { file, before, after }: Mutant): string {
  const parts = text.split(before);
  if (parts.length !== 2) throw new Error(`${file}: found ${parts.length - 1} times: ${before}`);
  return parts.join(after);
}

/** Mutants whose lines are gone, to be planted anew where the function went, and tests that are gone. */
function missing(): readonly string[] {
  return list.flatMap((mutant) => {
    try {
      planted(readFileSync(join(root, mutant.file), 'utf8'), mutant);
      const [[test] = []] = trialsOf(mutant);
      if (test !== undefined && !existsSync(join(root, test)))
        throw new Error(`there is no ${test}`);
      return [];
    } catch (error) {
      return [`${mutant.id} ${mutant.function}: ${String(error)}`];
    }
  });
}

/** How the first trial fails that finds the change, and passes without it; undefined if none does. */
async function judge(folder: string, mutant: Mutant): Promise<string | undefined> {
  const path = join(folder, mutant.file);
  const text = readFileSync(path, 'utf8');
  for (const trial of trialsOf(mutant)) {
    writeFileSync(path, planted(text, mutant));
    const failure = await failureOf(folder, trial).finally(() => writeFileSync(path, text));
    if (failure !== undefined && (await failureOf(folder, trial)) === undefined) return failure;
  }
  return undefined;
}

/** The first test of a file that fails, or how else the file fails; undefined if it passes. */
async function failureOf(cwd: string, [test, name]: Trial): Promise<string | undefined> {
  // The names of the tests around it come first.
  const one = name === undefined ? [] : [`--test-name-pattern=${RegExp.escape(name)}$`];
  const child = spawn(process.execPath, ['--test-reporter=tap', ...one, test], {
    cwd,
    // In a group of its own, to be ended with all that it started.
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  process.once('exit', end);
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
  const closed = once(child, 'close');
  const timer = setTimeout(end, longestRun);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  process.off('exit', end);
  // Processes that it started end after it; what still holds its output open then was forgotten.
  await Promise.race([closed, sleep(5000, undefined, { ref: false })]);
  end();
  if (code === 0) return undefined;
  if (code === null) return 'no end';
  return /^ *not ok \d+ - (.*)$/m.exec(told)?.[1] ?? 'no test';
}

await runCampaign(
  {
    command: 'mutants',
    options: {
      only: ['N,N', 'these mutants of the list; all of them if left out'],
      check: "tells only which mutants' lines and tests are gone",
    },
    fails: 'when lines or tests are gone, or a mutant survives',
  },
  async ({ only, check }, { folder, progress }) => {
    const text = `${list.length} mutants`;
    const gone = missing();
    if (check || gone.length > 0) return { text, faults: gone };
    const ids = only?.split(',').map(Number);
    // A copy of the commit, whose files may be changed, with the packages of this checkout.
    const copy = join(folder, 'planted');
    const { status, stderr } = spawnSync('git', ['clone', '--quiet', '--shared', root, copy]);
    if (status !== 0) throw new Error(String(stderr));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const faults: string[] = [];
    for (const mutant of list.filter(({ id }) => ids?.includes(id) ?? true)) {
      if (trialsOf(mutant).length === 0) continue;
      const failure = await judge(copy, mutant);
      progress(`${mutant.id} ${mutant.file} ${mutant.function}: ${failure ?? 'survives'}\n`);
      if (failure === undefined) faults.push(`${mutant.id} survives its tests`);
    }
    return { text, faults };
  },
);
