// Owns V8's code cache of the executable's bundle. Every function is compiled, so the cache does not
// depend on what has run, and two caches of one bundle are equal to the byte.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

import { programAsset } from './program_assets.ts';

// The cache has the order of V8's table of strings, which a random seed would shuffle.
const flags = ['--hash-seed=1', '--no-lazy'];
// V8 refuses a cache that was written under other flags than those it is read under.
const usualFlags = ['--hash-seed=0', '--lazy'];

/**
 * The code cache of a bundle's file.
 * @param runs the command line of the node that is to read it: the cache is of its architecture
 */
export function codeCacheOf(
  path: string,
  [command = process.execPath, ...before]: readonly string[] = [],
): Uint8Array {
  const args = [...before, ...flags, import.meta.filename, path];
  // What NODE_COMPILE_CACHE holds of this file would change the table, too.
  return execFileSync(command, args, { env: {}, maxBuffer: 64 * 1024 * 1024 });
}

if (import.meta.main) {
  const script = new Script(readFileSync(process.argv[2] ?? '', 'utf8'), {
    filename: programAsset,
  });
  for (const flag of usualFlags) setFlagsFromString(flag);
  process.stdout.write(script.createCachedData());
}
