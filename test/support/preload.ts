// Owns libraries that a process loads before the system's: what the system does to it then is the
// test's to say.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const made = new Map<string, string>();

/** The library of a C file, made once; what `LD_PRELOAD` is to be. */
export function preloadLibrary(source: URL): string {
  const path = made.get(source.href) ?? make(fileURLToPath(source));
  made.set(source.href, path);
  return path;
}

function make(source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-preload-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  const path = join(folder, `${basename(source, '.c')}.so`);
  const { status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-o', path, source, '-ldl']);
  if (status !== 0) throw new Error(stderr.toString());
  return path;
}
