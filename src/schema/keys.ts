// Owns the list of a schema's keys, and what a schema tells without a value.

import * as v from 'valibot';

import type { Path } from '../lib/fault.ts';
import type { SchemaNotes, Surroundings } from './notes.ts';
import type { Schema, Shape } from './walk.ts';

/** A key of a file, or of a named type. */
export interface Key {
  /** Path from the file's root, or from the named type: `tokens.access`, `input.in`. */
  readonly path: string;
  /** The named type that has the key; undefined for the file's own keys. */
  readonly type?: string;
  readonly entry: Shape;
  /** Whether every possible map at this place requires the key. */
  readonly required: boolean;
}

/** All keys of the file, in the schema's order, then the keys of each named type. */
export function keysOf(schema: Schema): readonly Key[] {
  const types = [...typesOf(schema)];
  return [
    ...keysBelow(schema, ''),
    ...types.flatMap(([type, typed]) =>
      keysBelow(typed, `${type}.`).map((key): Key => ({ ...key, type })),
    ),
  ];
}

/** The named types of a schema (schemas with a title), by title. */
export function typesOf(schema: Schema): ReadonlyMap<string, Schema> {
  const found = new Map<string, Schema>();
  const visit = (one: Schema): void => {
    const title = titleOf(one);
    if (title !== undefined && found.has(title)) return;
    if (title !== undefined) found.set(title, one);
    for (const part of partsOf(one)) visit(part);
  };
  visit(schema);
  return found;
}

/** Does not descend into named types. */
function keysBelow(schema: Schema, prefix: string): readonly Key[] {
  const found = new Map<string, Key>();
  for (const { entries = {} } of mapsIn(schema)) {
    for (const [name, member] of Object.entries(entries)) {
      const entry = member as Shape;
      const path = prefix + name;
      if (found.has(path)) continue;
      found.set(path, { path, entry, required: !isOptional(entry) });
      if (typeOf(member) !== undefined) continue;
      for (const key of keysBelow(member, `${path}.`)) found.set(key.path, key);
    }
  }
  return [...found.values()];
}

/** Whether the values of a named type are maps with listed keys. */
export function hasKeys(schema: Schema): boolean {
  return mapsIn(schema).some(({ entries }) => entries !== undefined);
}

function mapsIn(schema: Schema): readonly Shape[] {
  return allMapsIn(schema, (choice) => typeOf(choice) === undefined);
}

/** All map schemas that a value may match, named types included unless `isOpen` says otherwise. */
export function allMapsIn(
  schema: Schema,
  isOpen: (choice: Schema) => boolean = () => true,
): readonly Shape[] {
  const shape = schema as Shape;
  if (shape.entries !== undefined || shape.type === 'record') return [shape];
  return choicesOf(schema)
    .filter(isOpen)
    .flatMap((choice) => allMapsIn(choice, isOpen));
}

/** The schema at a path of a file, also below names that the file chooses. */
export function entryAt(schema: Schema, path: readonly string[]): Shape | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return schema;
  for (const { entries, value } of allMapsIn(schema)) {
    const member = entries === undefined ? value : entries[step];
    const found = member && entryAt(member, rest);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A key of a file with its value. */
export interface KeyValue {
  readonly entry: Shape;
  readonly value: never;
  readonly at: Surroundings;
}

/** Every key of a validated file, at any depth. Fields of answers have no keys of the schema. */
export function* keyValues(file: object, schema: Schema): Iterable<KeyValue> {
  yield* valuesIn(file, schema, { path: [], get: (...path) => valueAt(file, path) });
}

/** The maps of each schema: they are the same for every file. */
const mapsOf = new WeakMap<Schema, readonly Shape[]>();

function* valuesIn(map: object, schema: Schema, at: Surroundings): Iterable<KeyValue> {
  const maps = mapsOf.get(schema) ?? allMapsIn(schema);
  mapsOf.set(schema, maps);
  for (const [name, value] of Object.entries(map)) {
    const found = maps.map(({ entries, value: each }) =>
      entries === undefined ? each : entries[name],
    );
    const entry = found.find((one) => one !== undefined);
    if (entry === undefined) continue;
    const inner = { ...at, path: [...at.path, name] };
    // The schema has made the value: it has the type that the entry says.
    yield { entry, value: value as never, at: inner };
    if (isMap(value)) yield* valuesIn(value, entry, inner);
  }
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (found, step) =>
      isMap(found) ? (found as Readonly<Record<string, unknown>>)[step] : undefined,
    value,
  );
}

/** The schemas a value may match; empty where the schema describes the value itself. */
export function choicesOf(schema: Schema): readonly Schema[] {
  const { wrapped, type, options = [] } = schema as Shape;
  if (wrapped !== undefined) return [wrapped];
  if (type === 'union' || type === 'variant') return options as readonly Schema[];
  return notesOf(schema).alternatives?.() ?? [];
}

function partsOf(schema: Schema): readonly Schema[] {
  const { type, entries = {}, item, key, value, pipe = [] } = schema as Shape;
  const [first] = pipe as readonly Schema[];
  if (first !== undefined && 'pipe' in first) return [first];
  const inRecord = type === 'record' ? [key as Schema, value] : [];
  return [...choicesOf(schema), ...Object.values(entries), item, ...inRecord].filter(
    (part) => part !== undefined,
  );
}

/** The notes in a schema's pipe, without those of its first schema. */
export function notesOf(schema: Schema): SchemaNotes {
  const steps = ((schema as Shape).pipe ?? []).slice(1);
  return Object.assign({}, ...steps.map(({ metadata }) => metadata)) as SchemaNotes;
}

/** The type of a schema's values, without its further checks. */
export function typeOf(schema: Schema): string | undefined {
  const { title }: SchemaNotes = v.getMetadata(withoutOptional(schema));
  return title?.replaceAll(' ', '_');
}

/** The title of a named type, in the form that paths use. */
export function titleOf(schema: Schema): string | undefined {
  return notesOf(schema).title?.replaceAll(' ', '_');
}

export function isOptional({ type }: Schema | Shape): boolean {
  return type === 'optional' || type === 'exact_optional';
}

export function withoutOptional(schema: Schema): Schema {
  const { wrapped } = schema as Shape;
  return isOptional(schema) && wrapped !== undefined ? withoutOptional(wrapped) : schema;
}
