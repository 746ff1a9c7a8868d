// Owns the verdict on a mutant: it is planted in a copy of the sources, until a test fails.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A change of code, named so that it can be planted after the code has moved. */
export interface Change {
  readonly file: string;
  /** The functions and classes around it, outermost first. */
  readonly function: string;
  readonly kind: string;
  /** Whole lines; they stand once in the file. */
  readonly before: string;
  readonly after: string;
}

/** `killed` names a test file and its first test that fails, or how else the file fails. */
export type Verdict =
  | { readonly killed: string; readonly test: string }
  /** By so many test files. */
  | { readonly survived: number }
  /** Why no test could find it. */
  | { readonly equivalent: string };

/** Milliseconds after which a test file counts as failed, since a mutant may loop for ever. */
const longestRun = 180_000;

/** The text of a file with the change; throws where its lines are not found once. */
export function planted(text: string, { file, before, after }: Change): string {
  const parts = text.split(before);
  if (parts.length !== 2) throw new Error(`${file}: found ${parts.length - 1} times: ${before}`);
  return parts.join(after);
}

/** A copy of the commit, whose files may be changed, with the packages of this checkout. */
export function copySources(root: string, folder: string): void {
  const { status, stderr } = spawnSync('git', ['clone', '--quiet', '--shared', root, folder]);
  if (status !== 0) throw new Error(String(stderr));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}

/** @returns what takes the change back */
function plant(root: string, change: Change): () => void {
  const path = join(root, change.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, planted(text, change));
  return () => writeFileSync(path, text);
}

/** All test files but those of pages in a browser, which reach nothing of their own. */
export function testFiles(root: string): string[] {
  const files = globSync('test/**/*.test.ts', { cwd: root });
  return files.filter((file) => !file.startsWith('test/browser/')).toSorted();
}

/** How far a test is from a change: 0 for its mirror, up to 2 in its folder. */
export function distance(test: string, { file }: Change): number {
  const mirror = file.replace(/^src/, 'test').replace(/\.ts$/, '');
  const room = dirname(mirror);
  if (test === `${mirror}.test.ts` || test === `${mirror}.slow.test.ts`) return 0;
  if (dirname(test) === room) return basename(test).startsWith(basename(mirror)) ? 1 : 2;
  if (test.startsWith(`${room}/`) || room.startsWith(`${dirname(test)}/`)) return 3;
  return /^test\/(?:dialects|wire)\//.test(test) ? 4 : 5;
}

/** A test file, and its one test that is run, if not all are. */
export type Trial = readonly [file: string, name?: string];

/** Runs tests in order; one that fails without the change, too, has found nothing. */
export async function judge(
  root: string,
  change: Change,
  trials: readonly Trial[],
): Promise<Verdict> {
  for (const trial of trials) {
    const undo = plant(root, change);
    const failure = await failureOf(root, trial).finally(undo);
    if (failure !== undefined && (await failureOf(root, trial)) === undefined)
      return { killed: trial[0], test: failure };
  }
  return { survived: trials.length };
}

/** The first test of a file that fails, or how else the file fails; undefined where it passes. */
async function failureOf(root: string, [test, name]: Trial): Promise<string | undefined> {
  // The names of the tests around it come first.
  const one = name === undefined ? [] : [`--test-name-pattern=${RegExp.escape(name)}$`];
  const child = spawn(process.execPath, ['--test-reporter=tap', ...one, test], {
    cwd: root,
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

/** Whether a failure names no test: the file did not end, or failed before its first one. */
export function isOfFile(failure: string): boolean {
  return /^(?:no end|no test|exit code)\b/.test(failure);
}
