// Owns the verb `version`.

import { readAsset } from '../lib/asset.ts';
import { type OutputOptions, print, printJson } from './output.ts';

/** `jetway version`. */
export async function version({ json = false }: OutputOptions): Promise<void> {
  if (json) await printJson({ version: packageVersion(), node: process.versions.node });
  else await print(versionLine());
}

/** The version in a line, as `version` and `--version` tell it. */
export function versionLine(): string {
  return `jetway ${packageVersion()} (node ${process.versions.node})`;
}

function packageVersion(): string {
  const manifest = JSON.parse(readAsset('package.json')) as { readonly version: string };
  return manifest.version;
}
