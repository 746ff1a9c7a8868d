// Owns walking a schema and a document side by side: which part of the schema speaks about which
// node. Valibot keeps no link from an issue to the schema that raised it, so it is found again here.

import * as v from 'valibot';

import { nodeAt, toPlain } from '../lib/document.ts';
import type { Path, Position } from '../lib/fault.ts';
import type { MapNode, YamlNode } from '../lib/yaml_node.ts';

/** Any schema that runs synchronously. */
export type Schema = v.GenericSchema;

/** What schemas say of themselves; which parts are there depends on `type`. */
export interface Shape {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly rest?: Schema;
  readonly item?: Schema;
  readonly items?: readonly Schema[];
  /** A schema in a record, the discriminator's name in a variant. */
  readonly key?: unknown;
  readonly value?: Schema;
  /** Schemas in a union or variant, values in a picklist. */
  readonly options?: readonly unknown[];
  readonly literal?: unknown;
  readonly wrapped?: Schema;
  readonly getter?: (input: unknown) => Schema;
}

const mapTypes: ReadonlySet<string> = new Set([
  'strict_object',
  'object',
  'loose_object',
  'object_with_rest',
  'record',
  'variant',
]);
const listTypes: ReadonlySet<string> = new Set([
  'array',
  'tuple',
  'strict_tuple',
  'loose_tuple',
  'tuple_with_rest',
]);
const openTypes: ReadonlySet<string> = new Set(['any', 'unknown', 'custom', 'intersect']);

/** Whether a schema of this type wants a map, a list, or neither. */
export function kindOfType(type: string): 'map' | 'list' | undefined {
  if (mapTypes.has(type)) return 'map';
  return listTypes.has(type) ? 'list' : undefined;
}

/** The schema inside optional, nullable, lazy and their like; pipes show their first schema. */
export function unwrap(schema: Schema, node: YamlNode): Shape {
  let shape = schema as unknown as Shape;
  // A lazy schema that only ever yields another one is the author's slip, not a reason to hang.
  for (let turn = 0; turn < 100; turn++) {
    const inner = shape.wrapped ?? shape.getter?.(toPlain(node));
    if (inner === undefined) return shape;
    shape = inner;
  }
  return shape;
}

/** The options of a union or variant. */
export function optionsOf(shape: Shape): readonly Schema[] {
  return (shape.options ?? []) as readonly Schema[];
}

/** The objects a variant chooses from, nested variants included. */
export function variantLeaves(variant: Shape): readonly Shape[] {
  return optionsOf(variant).flatMap((option) => {
    const shape = option as unknown as Shape;
    return shape.type === 'variant' ? variantLeaves(shape) : [shape];
  });
}

/** The schema of a member of a map or list; undefined when the shape has none for it. */
export function memberOf(shape: Shape, step: string | number): Schema | undefined {
  if (shape.type === 'record') return shape.value;
  if (shape.entries !== undefined) {
    return Object.hasOwn(shape.entries, step) ? shape.entries[step] : shape.rest;
  }
  return shape.item ?? shape.items?.[Number(step)] ?? shape.rest;
}

/** The one shape a node is held against; undefined when several options might be meant. */
export function shapeFor(schema: Schema, node: YamlNode): Shape | undefined {
  const shape = unwrap(schema, node);
  if (shape.type === 'union') {
    const [only, ...others] = optionsOf(shape).filter((option) => fits(option, node));
    return only === undefined || others.length > 0 ? undefined : shapeFor(only, node);
  }
  if (shape.type !== 'variant' || node.kind !== 'map') return shape;
  const [only, ...others] = chosenLeaves(shape, node, []);
  return others.length > 0 ? undefined : only;
}

function fits(schema: Schema, node: YamlNode): boolean {
  const shape = unwrap(schema, node);
  if (openTypes.has(shape.type)) return true;
  if (shape.type === 'union') return optionsOf(shape).some((option) => fits(option, node));
  return (kindOfType(shape.type) ?? 'scalar') === node.kind;
}

function chosenLeaves(variant: Shape, node: MapNode, outer: readonly string[]): readonly Shape[] {
  const keys = [...outer, String(variant.key)];
  return optionsOf(variant).flatMap((option) => {
    const shape = option as unknown as Shape;
    if (shape.type === 'variant') return chosenLeaves(shape, node, keys);
    return keys.every((key) => acceptsDiscriminator(shape, key, node)) ? [shape] : [];
  });
}

function acceptsDiscriminator(leaf: Shape, key: string, node: MapNode): boolean {
  const schema = leaf.entries?.[key];
  const entry = node.entries.get(key);
  if (schema === undefined) return false;
  return v.is(schema, entry === undefined ? undefined : toPlain(entry.node));
}

/** The schema that speaks about the node at a path. */
export function schemaAt(schema: Schema, root: YamlNode, path: Path): Schema | undefined {
  let current: Schema | undefined = schema;
  for (const [depth, step] of path.entries()) {
    const node = nodeAt(root, path.slice(0, depth));
    const shape: Shape | undefined = node && current && shapeFor(current, node);
    current = shape && memberOf(shape, step);
  }
  return current;
}

/** The first schema of a type that a node meets on its way through unions. */
export function findType(schema: Schema, node: YamlNode, type: string): Shape | undefined {
  const shape = unwrap(schema, node);
  if (shape.type === type) return shape;
  if (shape.type !== 'union') return undefined;
  for (const option of optionsOf(shape)) {
    const found = findType(option, node, type);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A key that a strict object does not have. */
export interface UnknownKey {
  readonly path: Path;
  readonly at: Position;
  /** The keys it could have been: those the object has and the document does not yet give. */
  readonly open: readonly string[];
  readonly allowed: readonly string[];
}

// Stands in for a list where a map is wanted: valibot takes lists for objects and would go on to
// miss every key in it. A symbol is what no schema for files accepts.
const listForMap = Symbol('list');

/**
 * The plain value of a node without the keys its strict objects do not know; those are added to
 * `unknown`. Valibot names only the first of them in each object, and an unknown key would keep
 * checks across keys from running. Where it is open which option of a union is meant, all stays.
 */
export function prune(schema: Schema, node: YamlNode, path: Path, unknown: UnknownKey[]): unknown {
  const shape = node.kind === 'scalar' ? undefined : shapeFor(schema, node);
  if (shape === undefined || node.kind === 'scalar') return toPlain(node);
  if (node.kind === 'list') {
    if (kindOfType(shape.type) === 'map') return listForMap;
    return node.items.map((item, index) => {
      const member = memberOf(shape, index);
      return member === undefined ? toPlain(item) : prune(member, item, [...path, index], unknown);
    });
  }
  if (kindOfType(shape.type) !== 'map') return toPlain(node);
  const kept: Array<[string, unknown]> = [];
  for (const [key, { keyAt, node: value }] of node.entries) {
    const member = memberOf(shape, key);
    const here = [...path, key];
    if (member !== undefined) kept.push([key, prune(member, value, here, unknown)]);
    else if (shape.type !== 'strict_object') kept.push([key, toPlain(value)]);
    else {
      const allowed = Object.keys(shape.entries ?? {});
      const open = allowed.filter((one) => !node.entries.has(one));
      unknown.push({ path: here, at: keyAt, open, allowed });
    }
  }
  return Object.fromEntries(kept);
}
