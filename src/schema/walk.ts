// Owns walking a schema and a document side by side: which part of the schema speaks about which
// node. Valibot keeps no link from an issue to the schema that raised it, so that is found again.

import * as v from 'valibot';

import { nodeAt, plainMap, toPlain } from '../lib/document.ts';
import type { Path, Position } from '../lib/fault.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import type { KeyText, SchemaNotes } from './notes.ts';

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
  /** What an optional schema takes for a value that is left out, as a file would give it. */
  readonly default?: unknown;
  readonly getter?: (input: unknown) => Schema;
  /** A first schema, and the steps after it. */
  readonly pipe?: readonly PipeStep[];
  readonly told?: KeyText;
}

/** An action of a pipe, or a further schema. */
export interface PipeStep {
  readonly type: string;
  readonly requirement?: unknown;
  readonly metadata?: SchemaNotes;
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

/** A node and the plain value it stands for, which is made once and walked along with it. */
export interface Subject {
  readonly node: YamlNode;
  readonly plain: unknown;
}

/** The subject a node is. */
export function subjectOf(node: YamlNode): Subject {
  return { node, plain: toPlain(node) };
}

/** The subject a path leads to, if it exists. */
export function subjectAt(subject: Subject, path: Path): Subject | undefined {
  let { node, plain }: { node: YamlNode | undefined; plain: unknown } = subject;
  for (const step of path) {
    node = node && nodeAt(node, [step]);
    if (node === undefined) return undefined;
    plain = (plain as Readonly<Record<string | number, unknown>>)[step];
  }
  return node && { node, plain };
}

/** The schema inside optional, nullable, lazy and their like; pipes show their first schema. */
export function unwrap(schema: Schema, subject: Subject): Shape {
  let shape = schema as unknown as Shape;
  // A lazy schema that only ever yields another one is the author's slip, not a reason to hang.
  for (let turn = 0; turn < 100; turn++) {
    const inner = shape.wrapped ?? shape.getter?.(subject.plain);
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
function memberOf(shape: Shape, step: string | number): Schema | undefined {
  if (shape.type === 'record') return shape.value;
  if (shape.entries !== undefined) {
    return Object.hasOwn(shape.entries, step) ? shape.entries[step] : shape.rest;
  }
  return shape.item ?? shape.items?.[Number(step)] ?? shape.rest;
}

/** The one shape a subject is held against; undefined when several options might be meant. */
function shapeFor(schema: Schema, subject: Subject): Shape | undefined {
  const shape = unwrap(schema, subject);
  if (shape.type === 'union') {
    const [only, ...others] = optionsOf(shape).filter((option) => fits(option, subject));
    return only === undefined || others.length > 0 ? undefined : shapeFor(only, subject);
  }
  if (shape.type !== 'variant' || subject.node.kind !== 'map') return shape;
  const [only, ...others] = chosenLeaves(shape, subject, []);
  return others.length > 0 ? undefined : only;
}

function fits(schema: Schema, subject: Subject): boolean {
  const shape = unwrap(schema, subject);
  if (openTypes.has(shape.type)) return true;
  if (shape.type === 'union') return optionsOf(shape).some((option) => fits(option, subject));
  return (kindOfType(shape.type) ?? 'scalar') === subject.node.kind;
}

function chosenLeaves(
  variant: Shape,
  subject: Subject,
  outer: readonly string[],
): readonly Shape[] {
  const keys = [...outer, String(variant.key)];
  return optionsOf(variant).flatMap((option) => {
    const shape = option as unknown as Shape;
    if (shape.type === 'variant') return chosenLeaves(shape, subject, keys);
    return keys.every((key) => acceptsDiscriminator(shape, key, subject)) ? [shape] : [];
  });
}

function acceptsDiscriminator(leaf: Shape, key: string, subject: Subject): boolean {
  const schema = leaf.entries?.[key];
  return schema !== undefined && v.is(schema, subjectAt(subject, [key])?.plain);
}

/** The schema that speaks about what a path leads to. */
export function schemaAt(schema: Schema, root: Subject, path: Path): Schema | undefined {
  let current: Schema | undefined = schema;
  let subject: Subject | undefined = root;
  for (const step of path) {
    const shape: Shape | undefined = subject && current && shapeFor(current, subject);
    current = shape && memberOf(shape, step);
    subject = subject && subjectAt(subject, [step]);
  }
  return current;
}

/** The first schema of a type that a subject meets on its way through unions. */
export function findType(schema: Schema, subject: Subject, type: string): Shape | undefined {
  const shape = unwrap(schema, subject);
  if (shape.type === type) return shape;
  if (shape.type !== 'union') return undefined;
  for (const option of optionsOf(shape)) {
    const found = findType(option, subject, type);
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
 * The plain value of a subject without the keys its strict objects do not know; those are added to
 * `unknown`. Valibot names only the first of them in each object, and an unknown key would keep
 * checks across keys from running. Where it is open which option of a union is meant, all stays.
 */
export function prune(
  schema: Schema,
  subject: Subject,
  path: Path,
  unknown: UnknownKey[],
): unknown {
  const { node, plain } = subject;
  const shape = node.kind === 'scalar' ? undefined : shapeFor(schema, subject);
  if (shape === undefined || node.kind === 'scalar') return plain;
  if (kindOfType(shape.type) !== node.kind) {
    return kindOfType(shape.type) === 'map' ? listForMap : plain;
  }
  const pruneMember = (step: string | number): unknown => {
    const member = memberOf(shape, step);
    const inner = subjectAt(subject, [step]);
    if (inner === undefined || member === undefined) return inner?.plain;
    return prune(member, inner, [...path, step], unknown);
  };
  if (node.kind === 'list') return node.items.map((_, index) => pruneMember(index));
  const kept: [string, unknown][] = [];
  for (const [key, { keyAt }] of node.entries) {
    if (memberOf(shape, key) !== undefined || shape.type !== 'strict_object') {
      kept.push([key, pruneMember(key)]);
      continue;
    }
    const allowed = Object.keys(shape.entries ?? {});
    // Keys of the variant beneath are there already, yet just those are what a file lies over.
    const open = allowed.filter((one) => node.entries.get(one)?.keyAt.file !== keyAt.file);
    unknown.push({ path: [...path, key], at: keyAt, open, allowed });
  }
  return plainMap(kept);
}
