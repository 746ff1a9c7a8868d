// Owns reading the built-in variants: complete dialects that ship as YAML.

import { listAssets, readYamlAsset } from '../../lib/asset.ts';
import type { ParsedYaml } from '../../lib/yaml/yaml.ts';

const folder = 'src/variants';

export function variantNames(): readonly string[] {
  return listAssets(folder, '.yaml').map((path) => path.slice(folder.length + 1, -'.yaml'.length));
}

/** Each variant is read once: two hundred programmes share a few variants. */
const variants = new Map<string, ParsedYaml>();

/** A built-in variant's document; its positions name the shipped file. */
export function readVariant(name: string): ParsedYaml {
  const path = `${folder}/${name}.yaml`;
  const variant = variants.get(path) ?? readYamlAsset(path);
  variants.set(path, variant);
  return variant;
}
