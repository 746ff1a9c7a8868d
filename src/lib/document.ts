// Owns operations on YAML nodes of any meaning: merging one document over another, turning nodes into
// plain values, and finding the place of a path.

import type { Path, Position } from './fault.ts';
import type { ListNode, MapEntry, MapNode, YamlNode } from './yaml/node.ts';

/**
 * `over` laid on `base`, as in JSON Merge Patch (RFC 7396): maps merge key by key, everything else
 * replaces, and a null in a map of `over` removes the key. Keys keep the order of `base`, new ones
 * follow. Each node keeps its own place; a map that both have gets that of `over`, the file the
 * operator is editing, unless `over` is empty and changes nothing.
 *
 */
export function mergeNodes(base: YamlNode, over: YamlNode, rules: MergeRules = {}): YamlNode {
  return mergeAt([], base, over, rules);
}

export type Replaces = (path: Path, base: MapNode, over: MapNode) => boolean;

export interface MergeRules {
  /** Whether a map at a path replaces the map of `base`, since it has another form. */
  readonly replaces?: Replaces;
  /** Called for each null that removes nothing. */
  readonly onIdleNull?: (path: Path, keyAt: Position) => void;
}

function mergeAt(path: Path, base: YamlNode, over: YamlNode, rules: MergeRules): YamlNode {
  if (over.kind !== 'map') return over;
  const isReplaced = base.kind !== 'map' || rules.replaces?.(path, base, over) === true;
  if (isReplaced) return withoutNulls(path, over, rules);
  return over.entries.size === 0 ? base : mergeMaps(path, base, over, rules);
}

function mergeMaps(path: Path, base: MapNode, over: MapNode, rules: MergeRules): MapNode {
  const entries = new Map<string, MapEntry>(base.entries);
  for (const [key, { keyAt, node }] of over.entries) {
    const at = [...path, key];
    const present = base.entries.get(key);
    if (isNull(node)) {
      if (!entries.delete(key)) rules.onIdleNull?.(at, keyAt);
    } else if (present === undefined) {
      entries.set(key, { keyAt, node: withoutNulls(at, node, rules) });
    } else {
      entries.set(key, { keyAt, node: mergeAt(at, present.node, node, rules) });
    }
  }
  return { kind: 'map', at: over.at, entries };
}

/** A map without the nulls that would have removed keys of `base`. */
function withoutNulls(path: Path, node: YamlNode, rules: MergeRules): YamlNode {
  if (node.kind !== 'map') return node;
  return mergeMaps(path, { kind: 'map', at: node.at, entries: new Map() }, node, rules);
}

function isNull(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** The value of a node in plain objects and arrays; every key becomes an own property. */
export function toPlain(node: YamlNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toPlain);
  return plainMap([...node.entries].map(([key, entry]) => [key, toPlain(entry.node)] as const));
}

const writtenKeys = Symbol('keys as written');

/**
 * A plain object of the entries that remembers their order: JavaScript puts names that are whole
 * numbers first. Members are defined, not assigned: `__proto__` stays a plain key.
 */
export function plainMap(entries: readonly (readonly [string, unknown])[]): object {
  const map = Object.fromEntries(entries);
  if (!entries.some(([key]) => /^\d+$/.test(key))) return map;
  return Object.defineProperty(map, writtenKeys, { value: entries.map(([key]) => key) });
}

/** The keys of a plain object in the order they were written in. */
export function keysAsWritten(map: object): readonly string[] {
  const written = (map as { readonly [writtenKeys]?: readonly string[] })[writtenKeys];
  return written ?? Object.keys(map);
}

/** The node a path leads to, if it exists. */
export function nodeAt(node: YamlNode, path: Path): YamlNode | undefined {
  let current: YamlNode | undefined = node;
  for (const step of path) {
    if (current === undefined) return undefined;
    current = childOf(current, step);
  }
  return current;
}

/** The place of a path's value; of the nearest node around it when it does not exist. */
export function positionAt(node: YamlNode, path: Path): Position {
  let current = node;
  for (const step of path) {
    const child = childOf(current, step);
    if (child === undefined) break;
    current = child;
  }
  return current.at;
}

/** The place of the key a path ends with; as `positionAt` when there is no such key. */
export function keyPositionAt(node: YamlNode, path: Path): Position {
  const parent = nodeAt(node, path.slice(0, -1));
  const key = path.at(-1);
  const entry = parent?.kind === 'map' ? parent.entries.get(String(key)) : undefined;
  return entry?.keyAt ?? positionAt(node, path);
}

function childOf(node: YamlNode, step: string | number): YamlNode | undefined {
  if (node.kind === 'list') return node.items[Number(step)] ?? namedIn(node, String(step));
  return node.kind === 'map' ? node.entries.get(String(step))?.node : undefined;
}

/** In a list of maps that stands for one map: the value of the first item that has the name. */
function namedIn({ items }: ListNode, name: string): YamlNode | undefined {
  for (const item of items) {
    const entry = item.kind === 'map' ? item.entries.get(name) : undefined;
    if (entry !== undefined) return entry.node;
  }
  return undefined;
}
