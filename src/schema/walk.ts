// Owns walking a schema and a document side by side, to find the schema of a node. Valibot's issues
// do not name the schema that raised them, so this finds it again.

import * as v from 'valibot';

import { nodeAt, plainMap, toPlain } from '../lib/document.ts';
import type { Path, Position } from '../lib/fault.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import type { KeyText, SchemaNotes } from './notes.ts';

/** A synchronous schema. */
export type Schema = v.GenericSchema;

/** The parts of a schema; which are present depends on `type`. */
export interface Shape {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly item?: Schema;
  /** The key schema of a record, or the name of a variant's discriminator. */
  readonly key?: unknown;
  readonly value?: Schema;
  /** Schemas of a union or variant, values of a picklist. */
  readonly options?: readonly unknown[];
  readonly literal?: unknown;
  readonly wrapped?: Schema;
  /** The default of an optional schema, as a file would write it. */
  readonly default?: unknown;
  readonly getter?: (input: unknown) => Schema;
  /** The first schema, then the further steps. */
  readonly pipe?: readonly PipeStep[];
  readonly docs?: KeyText;
}

export interface PipeStep {
  readonly type: string;
  readonly requirement?: unknown;
  readonly metadata?: SchemaNotes;
}

/** The kind of node that a schema type expects; a type that is not here expects a scalar. */
const kinds: Readonly<Record<string, YamlNode['kind']>> = {
  strict_object: 'map',
  record: 'map',
  variant: 'map',
  array: 'list',
};

/** A node with its plain value, which is made once for the whole walk. */
export interface Subject {
  readonly node: YamlNode;
  readonly plain: unknown;
}

export function subjectOf(node: YamlNode): Subject {
  return { node, plain: toPlain(node) };
}

/** The subject at a path, if it exists. */
export function subjectAt(subject: Subject, path: Path): Subject | undefined {
  let { node, plain }: { node: YamlNode | undefined; plain: unknown } = subject;
  for (const step of path) {
    node = node && nodeAt(node, [step]);
    if (node === undefined) return undefined;
    plain = (plain as Readonly<Record<string | number, unknown>>)[step];
  }
  return node && { node, plain };
}

/** The schema inside optional, nullable and lazy; of a pipe, its first schema. */
export function unwrap(schema: Schema, subject: Subject): Shape {
  const shape: Shape = schema;
  const inner = shape.wrapped ?? shape.getter?.(subject.plain);
  return inner === undefined ? shape : unwrap(inner, subject);
}

export function optionsOf(shape: Shape): readonly Schema[] {
  return (shape.options ?? []) as readonly Schema[];
}

/** The schema of a member of a map or list; undefined if the shape has none. */
function memberOf({ entries = {}, item, value }: Shape, step: string | number): Schema | undefined {
  return item ?? value ?? (Object.hasOwn(entries, step) ? entries[step] : undefined);
}

/** The only shape that a subject can match; undefined if several options are possible. */
function shapeFor(schema: Schema, subject: Subject): Shape | undefined {
  const shape = unwrap(schema, subject);
  const isVariant = shape.type === 'variant' && subject.node.kind === 'map';
  if (shape.type !== 'union' && !isVariant) return shape;
  const [only, ...others] = optionsOf(shape).filter((option) =>
    isVariant ? isNamed(option, String(shape.key), subject) : fits(option, subject),
  );
  return only === undefined || others.length > 0 ? undefined : shapeFor(only, subject);
}

function fits(schema: Schema, subject: Subject): boolean {
  const shape = unwrap(schema, subject);
  if (shape.type === 'union') return optionsOf(shape).some((option) => fits(option, subject));
  return (kinds[shape.type] ?? 'scalar') === subject.node.kind;
}

/** Whether a map has the value of the discriminator by which a variant tells this option. */
function isNamed({ entries = {} }: Shape, key: string, subject: Subject): boolean {
  const schema = entries[key];
  return schema !== undefined && v.is(schema, subjectAt(subject, [key])?.plain);
}

/** The schema of the discriminator of a variant of which no option has its value. */
function discriminatorAt(schema: Schema, step: string | number): Schema | undefined {
  const { type, key } = schema as Shape;
  if (type !== 'variant' || key !== step) return undefined;
  return v.union(optionsOf(schema).flatMap(({ entries = {} }: Shape) => entries[step] ?? []));
}

/** The schema at a path of a document. */
export function schemaAt(schema: Schema, root: Subject, path: Path): Schema | undefined {
  let current: Schema | undefined = schema;
  let subject: Subject | undefined = root;
  for (const step of path) {
    const shape: Shape | undefined = subject && current && shapeFor(current, subject);
    current = shape ? memberOf(shape, step) : current && discriminatorAt(current, step);
    subject = subject && subjectAt(subject, [step]);
  }
  return current;
}

/** A key that the strict object does not have. */
export interface UnknownKey {
  readonly path: Path;
  readonly at: Position;
  /** Keys that may have been meant: the object has them, and the document does not set them yet. */
  readonly open: readonly string[];
  readonly allowed: readonly string[];
}

// Replaces a list where a map is expected: valibot accepts a list as an object and would report
// every key as missing. No schema for files accepts a symbol.
const listForMap = Symbol('list');

/**
 * The plain value of a subject without keys that its strict objects do not have; adds those to
 * `unknown`. Valibot reports only the first unknown key of an object, and an unknown key would
 * prevent the checks across keys. Keeps all keys where several options of a union are possible.
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
  const kind = kinds[shape.type];
  if (kind !== node.kind) return kind === 'map' ? listForMap : plain;
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
    // Keys that come from the variant count as open: the file may override them.
    const open = allowed.filter((one) => node.entries.get(one)?.keyAt.file !== keyAt.file);
    unknown.push({ path: [...path, key], at: keyAt, open, allowed });
  }
  return plainMap(kept);
}
