// Owns starting `jetway dev` in a process of its own, as a newcomer does.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

import { program } from '../../support/program.ts';
import { environment } from '../command.ts';

export interface Dev {
  readonly sheet: readonly string[];
  readonly url: string;
}

/** Starts `jetway dev` in a folder; it ends with the test. */
export async function startDev(
  t: TestContext,
  folder: string,
  ...more: readonly string[]
): Promise<Dev> {
  const args = [program, 'dev', '--listen', '127.0.0.1:0', ...more];
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: folder,
    env: environment,
    stdio: [...stdio],
  });
  t.after(async () => {
    const ended = once(child, 'exit');
    if (child.kill('SIGKILL')) await ended;
  });
  let printed = '';
  assert.ok(child.stdout);
  child.stdout.setEncoding('utf8');
  for await (const chunk of child.stdout) {
    printed += chunk as string;
    const [, url] = /^Ready\..* (http:\S+)\/\n$/m.exec(printed) ?? [];
    if (url !== undefined) return { sheet: printed.trimEnd().split('\n'), url };
  }
  throw new Error(`dev ended after ${printed}`);
}
