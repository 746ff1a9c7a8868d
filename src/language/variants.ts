// Owns reading the built-in variants: complete dialects that ship as YAML, each laid over what all of
// them have in common.

import { listAssets, readYamlAsset } from '../lib/asset.ts';
import { mergeNodes } from '../lib/document.ts';
import type { YamlNode } from '../lib/yaml/node.ts';

const folder = 'src/variants';
const common = 'common';

export function variantNames(): readonly string[] {
  return listAssets(folder, '.yaml')
    .map((path) => path.slice(folder.length + 1, -'.yaml'.length))
    .filter((name) => name !== common);
}

/** Each variant is read once: two hundred programmes share a few variants. */
const variants = new Map<string, YamlNode>();

/** A built-in variant's document; its positions name the shipped files. */
export function readVariant(name: string): YamlNode {
  const variant = variants.get(name) ?? mergeNodes(read(common), read(name));
  variants.set(name, variant);
  return variant;
}

function read(name: string): YamlNode {
  const { root } = readYamlAsset(`${folder}/${name}.yaml`);
  if (root === undefined) throw new Error(`${name}.yaml cannot be read`);
  return root;
}
