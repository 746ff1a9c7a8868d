// Owns the built-in variants, complete dialects that ship as YAML, and how a file is laid over one.

import { listAssets, readYamlAsset } from '../lib/asset.ts';
import { mergeNodes, nodeAt, type Replaces } from '../lib/document.ts';
import type { YamlNode, MapNode } from '../lib/yaml/node.ts';
import { allMapsIn, entryAt, isOptional } from '../schema/keys.ts';
import type { Schema } from '../schema/walk.ts';

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

/**
 * A built-in variant's document as a file needs it: with the texts of the languages that the file
 * names in `login.languages` and that are shipped. A programme offers no language that it does not
 * name.
 */
export function variantFor(name: string, file: YamlNode): YamlNode {
  const named = nodeAt(file, ['login', 'languages']);
  const shipped = languageNames();
  const entries = named?.kind === 'map' ? [...named.entries] : [];
  return entries
    .filter(([tag, { node }]) => node.kind === 'map' && shipped.includes(tag))
    .flatMap(([tag]) => {
      const texts = read(`languages/${tag}`);
      return [common, name].map((part) => nodeAt(texts, [part]));
    })
    .reduce<YamlNode>(
      (base, texts) => (texts === undefined ? base : mergeNodes(base, texts)),
      readVariant(name),
    );
}

/** The tags of the languages whose texts are shipped beside those that every variant has. */
export function languageNames(): readonly string[] {
  const inFolder = `${folder}/languages`;
  return listAssets(inFolder, '.yaml').map((path) =>
    path.slice(inFolder.length + 1, -'.yaml'.length),
  );
}

function read(name: string): YamlNode {
  const { root } = readYamlAsset(`${folder}/${name}.yaml`);
  if (root === undefined) throw new Error(`${name}.yaml cannot be read`);
  return root;
}

/**
 * Whether a map replaces the map below it. The schema decides: where it allows several maps,
 * required keys or the discriminator's value tell them apart.
 */
export function takesAnotherForm(schema: Schema): Replaces {
  return (path, base, over) => {
    const place = entryAt(schema, path.map(String));
    if (place === undefined) return false;
    const { type, key } = place;
    if (type === 'variant') return differ(valueOf(base, String(key)), valueOf(over, String(key)));
    const maps = allMapsIn(place as Schema);
    if (maps.length < 2) return false;
    const marks = maps.flatMap(({ entries = {} }) =>
      Object.entries(entries).flatMap(([name, entry]) => (isOptional(entry) ? [] : [name])),
    );
    return differ(formOf(base, marks), formOf(over, marks));
  };
}

function differ(one: unknown, other: unknown): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

function valueOf({ entries }: MapNode, key: string): unknown {
  const node = entries.get(key)?.node;
  return node?.kind === 'scalar' ? node.value : undefined;
}

/** The only mark of a form in the map; a null removes a mark and sets none. */
function formOf(map: MapNode, marks: readonly string[]): string | undefined {
  const given = marks.filter((mark) => map.entries.has(mark) && valueOf(map, mark) !== null);
  return given.length === 1 ? given[0] : undefined;
}
