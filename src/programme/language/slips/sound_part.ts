// Owns the part of a file that the schema accepts, so that one run tells the faults across its keys too.

import type { Fault, Path } from '../../../lib/fault.ts';
import type { MapEntry, MapNode, YamlNode } from '../../../lib/yaml/node.ts';

/** A file without the keys at fault, and the paths that checks cannot judge without them. */
export interface SoundPart {
  readonly root: MapNode;
  readonly faulty: readonly Path[];
}

/** Undefined if a fault lies at no key of the file. */
export function soundPart(
  { root, faulty }: SoundPart,
  faults: readonly Fault[],
): SoundPart | undefined {
  const places = faults.map((fault) => ({ fault, path: ownKey(root, fault.path.split('.')) }));
  if (places.some(({ path }) => path.length === 0)) return undefined;
  return {
    root: places.reduce((map, { path }) => without(map, path), root),
    faulty: [...faulty, ...places.flatMap(({ fault, path }) => inDoubt(path, fault))],
  };
}

/** The deepest key of the file that the path leads to, past no list. */
function ownKey(root: MapNode, path: readonly string[]): readonly string[] {
  let node: YamlNode | undefined = root;
  let depth = 0;
  for (const step of path) {
    node = node.kind === 'map' ? node.entries.get(step)?.node : undefined;
    if (node === undefined) break;
    depth += 1;
  }
  return path.slice(0, depth);
}

function without(map: MapNode, [step = '', ...rest]: readonly string[]): MapNode {
  const entry = map.entries.get(step);
  if (entry === undefined) return map;
  const entries = new Map<string, MapEntry>(map.entries);
  if (rest.length === 0) entries.delete(step);
  else if (entry.node.kind === 'map') {
    entries.set(step, { ...entry, node: without(entry.node, rest) });
  }
  return { ...map, entries };
}

/** The key at fault, and the key that was meant by a misspelt one. */
function inDoubt(path: readonly string[], { message, hint }: Fault): readonly Path[] {
  // Groups are spread over all reasons (error_groups.ts).
  if (path[0] === 'errors') return [['errors']];
  if (!message.startsWith('unknown key')) return [path];
  const meant = /^(?:did you mean "|write )([^": ]+)/.exec(hint ?? '')?.[1];
  // Without a key that it could stand for, nothing is otherwise without it.
  return meant === undefined ? [] : [path, [...path.slice(0, -1), meant]];
}
