// Owns where shipped files (YAML, CSS, logos, package.json) are read from: the executable's embedded
// assets, or the checkout when sources run directly. Knows nothing of what they mean.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { getAsset, getAssetKeys, isSea } from 'node:sea';

// Used only by sources; in the executable there is no checkout and this path means nothing.
const root = join(import.meta.dirname, '../..');

/**
 * The text of a shipped file.
 *
 * @param path from the root of the checkout, with forward slashes: `src/variants/grant.yaml`
 * @throws when no such file is shipped; what is embedded is listed in `scripts/build.ts`
 */
export function readAsset(path: string): string {
  return isSea() ? getAsset(path, 'utf8') : readFileSync(join(root, path), 'utf8');
}

/** As `readAsset`, for files that are no text. */
export function readAssetBytes(path: string): Uint8Array {
  return isSea() ? new Uint8Array(getAsset(path)) : readFileSync(join(root, path));
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
