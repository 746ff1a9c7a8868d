// Owns running a script under strace: watching its system calls, failing them, or killing it at one.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { randomKey } from '../../src/lib/random.ts';

export interface Traced {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  /** Every traced call, one a line. */
  readonly calls: readonly string[];
}

/** Runs a script, of this folder unless its path is whole, to its end under strace, all threads traced. */
export async function traced(
  options: readonly string[],
  script: string,
  parameters: readonly string[],
): Promise<Traced> {
  const log = join(tmpdir(), `jetway-strace-${randomKey(6)}`);
  const path = resolve(import.meta.dirname, script);
  const flags = ['-f', '-qq', '-y', '-s', '32', '-o', log, ...options];
  const child = spawn('strace', [...flags, process.execPath, path, ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout, calls: readFileSync(log, 'utf8').split('\n') };
  } finally {
    rmSync(log, { force: true });
  }
}
