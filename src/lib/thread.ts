// Owns how a thread is begun from a file of src/: as it is in a checkout, as the asset made of it in
// the executable (scripts/build.ts). Knows nothing of what threads do.

import { join } from 'node:path';
import { isSea } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';

import { readAsset } from './asset.ts';

// Used only by sources, as in asset.ts.
const root = join(import.meta.dirname, '../..');

/**
 * Starts a thread.
 *
 * @param source from the root of the checkout, with forward slashes; `scripts/build.ts` lists them
 */
export function startThread(source: string, options: WorkerOptions = {}): Worker {
  // A thread says nothing. Passing on what it might would make the process's own pipes non-blocking.
  const quiet = { ...options, stdout: true, stderr: true };
  if (!isSea()) return new Worker(join(root, source), quiet);
  return new Worker(readAsset(threadAsset(source)), { ...quiet, eval: true });
}

/** What a thread is started from as text is CommonJS. */
export function threadAsset(source: string): string {
  return source.replace(/\.ts$/, '.cjs');
}
