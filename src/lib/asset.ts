// Owns reading shipped files (YAML, CSS, logos, package.json) and starting threads of shipped sources:
// from the executable's embedded assets, or from the checkout when sources run directly.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { getAsset, getAssetKeys, isSea } from 'node:sea';
import { deserialize } from 'node:v8';
import { Worker, type WorkerOptions } from 'node:worker_threads';

import { type ParsedYaml, parseYaml } from './yaml/yaml.ts';

// Of the checkout; meaningless in the executable.
const root = join(import.meta.dirname, '../..');

/**
 * The text of a shipped file.
 *
 * @param path from the root of the checkout, with forward slashes: `src/variants/grant.yaml`
 * @throws when no such file is shipped; `scripts/build.ts` lists the embedded files
 */
export function readAsset(path: string): string {
  return isSea() ? getAsset(path, 'utf8') : readFileSync(join(root, path), 'utf8');
}

/** As `readAsset`, for binary files. */
export function readAssetBytes(path: string): Uint8Array {
  return isSea() ? new Uint8Array(getAsset(path)) : readFileSync(join(root, path));
}

/** A shipped YAML file, parsed: by `scripts/build.ts` if it is in the executable. */
export function readYamlAsset(path: string): ParsedYaml {
  if (!isSea()) return parseYaml(path, readAsset(path));
  return deserialize(readAssetBytes(path)) as ParsedYaml;
}

/**
 * The paths of the shipped files directly in a folder, sorted, each fit for `readAsset`.
 *
 * @param folder from the root of the checkout, without a closing slash: `src/variants`
 * @param extension with its dot: `.yaml`
 */
export function listAssets(folder: string, extension: string): readonly string[] {
  const names = isSea() ? embeddedNames(folder) : readdirSync(join(root, folder));
  return names
    .filter((name) => name.endsWith(extension))
    .toSorted()
    .map((name) => `${folder}/${name}`);
}

function embeddedNames(folder: string): string[] {
  return getAssetKeys()
    .filter((key) => key.startsWith(`${folder}/`))
    .map((key) => key.slice(folder.length + 1))
    .filter((name) => !name.includes('/'));
}

/**
 * Starts a thread: of the source in a checkout, of the asset made of it in the executable.
 *
 * @param source from the root of the checkout, with forward slashes; `scripts/build.ts` lists them
 */
export function startThread(source: string, options: WorkerOptions = {}): Worker {
  // A thread writes nothing. To pass its output on would make the process's own pipes non-blocking.
  const quiet = { ...options, stdout: true, stderr: true };
  if (!isSea()) return new Worker(join(root, source), quiet);
  return new Worker(readAsset(threadAsset(source)), { ...quiet, eval: true });
}

/** The asset of a thread's source: a thread started from text is CommonJS. */
export function threadAsset(source: string): string {
  return source.replace(/\.ts$/, '.cjs');
}
