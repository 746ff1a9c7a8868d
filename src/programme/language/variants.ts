// Owns reading the built-in variants: complete dialects that ship as YAML.

import { listAssets, readAsset } from '../../lib/asset.ts';
import { type ParsedYaml, parseYaml } from '../../lib/yaml/yaml.ts';

const folder = 'src/variants';

export function variantNames(): readonly string[] {
  return listAssets(folder, '.yaml').map((path) => path.slice(folder.length + 1, -'.yaml'.length));
}

/** Each variant is parsed once: two hundred programmes share a few variants. */
const parsed = new Map<string, ParsedYaml>();

/** A built-in variant's document; its positions name the shipped file. */
export function readVariant(name: string): ParsedYaml {
  const path = `${folder}/${name}.yaml`;
  const variant = parsed.get(path) ?? parseYaml(path, readAsset(path));
  parsed.set(path, variant);
  return variant;
}
