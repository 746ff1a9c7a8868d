// Owns the translation of valibot schemas into JSON Schema 2020-12; knows nothing of programmes.
// What a schema means beyond that (checks in code) is left out, never guessed.

import { isDeepStrictEqual } from 'node:util';

import type * as v from 'valibot';

import type { SchemaNotes } from '../../src/schema/notes.ts';
import type { Schema, Shape } from '../../src/schema/walk.ts';

/** The part of JSON Schema that is written here. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | false;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Schemas with a title, by the name it gives them in `$defs`. */
export type Definitions = Readonly<Record<string, JsonSchema>>;

export interface Translation {
  readonly root: JsonSchema;
  readonly definitions: Definitions;
}

type PipeAction = v.PipeAction<unknown, unknown, v.BaseIssue<unknown>>;
type PipedShape = Shape & { readonly pipe?: readonly (Schema | PipeAction)[] };

/**
 * Translates a schema and all it refers to. Each titled schema becomes a definition of its own.
 *
 * @throws when a schema or action of a kind is met that has no row below, and when two different
 *   schemas have one title: what is generated must not differ from what is validated unnoticed
 */
export function translate(schema: Schema): Translation {
  const definitions = new Map<string, JsonSchema>();
  const pending = new Map<string, Schema>();

  const visit = (one: Schema): JsonSchema => {
    const title = titleOf(one);
    if (title === undefined) return translateBody(one, visit);
    const name = title.replaceAll(' ', '_');
    const reference = { $ref: `#/$defs/${name}` };
    // A schema that holds itself is met again on the way down.
    if (pending.get(name) === one) return reference;
    pending.set(name, one);
    const body = { title, ...translateBody(one, visit) };
    pending.delete(name);
    const known = definitions.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, body)) {
      throw new Error(`two different schemas have the title "${title}"`);
    }
    definitions.set(name, body);
    return reference;
  };

  const root = visit(schema);
  const sorted = [...definitions].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { root, definitions: Object.fromEntries(sorted) };
}

function titleOf(schema: Schema): string | undefined {
  const titles = actionsOf(schema).filter((action) => action.type === 'title');
  return (titles.at(-1) as { readonly title?: string } | undefined)?.title;
}

function notesOf(schema: Schema): SchemaNotes {
  const notes = actionsOf(schema).filter((action) => action.type === 'metadata');
  return (notes.at(-1) as { readonly metadata?: SchemaNotes } | undefined)?.metadata ?? {};
}

/** The steps of a pipe after its first schema. */
function actionsOf(schema: Schema): readonly PipeAction[] {
  return ((schema as unknown as PipedShape).pipe ?? []).slice(1) as readonly PipeAction[];
}

type Visit = (schema: Schema) => JsonSchema;

function translateBody(schema: Schema, visit: Visit): JsonSchema {
  const { json, alternatives } = notesOf(schema);
  if (json !== undefined) return json;
  if (alternatives !== undefined) return anyOf(alternatives().map(visit));
  const { pipe } = schema as unknown as PipedShape;
  const [first, ...actions] = pipe ?? [];
  if (first === undefined) return translateType(schema, visit);
  return (actions as readonly PipeAction[]).reduce(applyAction, visit(first as Schema));
}

function anyOf(options: readonly JsonSchema[]): JsonSchema {
  const types = options.map((option) => option.type);
  const plain = options.every((option) => Object.keys(option).length === 1);
  if (plain && types.every((type) => typeof type === 'string')) return { type: types };
  return { anyOf: options };
}

const types: Readonly<Record<string, (shape: Shape, visit: Visit) => JsonSchema>> = {
  string: () => ({ type: 'string' }),
  number: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  null: () => ({ type: 'null' }),
  literal: ({ literal }) => ({ const: literal }),
  picklist: ({ options = [] }) => ({ enum: options }),
  array: ({ item }, visit) => ({ type: 'array', items: visit(existing(item)) }),
  record: ({ key, value }, visit) => ({
    type: 'object',
    propertyNames: visit(key as Schema),
    additionalProperties: visit(existing(value)),
  }),
  strict_object: ({ entries = {} }, visit) => ({
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(entries).map(([key, entry]) => [key, visit(entry)]),
    ),
    required: Object.keys(entries).filter((key) => !isOptional(existing(entries[key]))),
    additionalProperties: false,
  }),
  union: ({ options = [] }, visit) => anyOf((options as readonly Schema[]).map(visit)),
  variant: ({ options = [] }, visit) => anyOf((options as readonly Schema[]).map(visit)),
  exact_optional: (shape, visit) => translateOptional(shape, visit),
  optional: (shape, visit) => translateOptional(shape, visit),
  nullable: ({ wrapped }, visit) => ({ anyOf: [visit(existing(wrapped)), { type: 'null' }] }),
};

function translateType(schema: Schema, visit: Visit): JsonSchema {
  const row = types[schema.type];
  if (row === undefined) throw new Error(`no JSON Schema is known for ${schema.type}`);
  return row(schema, visit);
}

function translateOptional(
  shape: Shape & { readonly default?: unknown },
  visit: Visit,
): JsonSchema {
  const inner = visit(existing(shape.wrapped));
  return shape.default === undefined ? inner : { ...inner, default: shape.default };
}

function isOptional(schema: Schema): boolean {
  return schema.type === 'optional' || schema.type === 'exact_optional';
}

function existing(schema: Schema | undefined): Schema {
  if (schema === undefined) throw new Error('a schema lacks the part its type promises');
  return schema;
}

const actions: Readonly<Record<string, (schema: JsonSchema, requirement: never) => JsonSchema>> = {
  title: (schema) => schema,
  metadata: (schema) => schema,
  // Code says what these accept or make; a note on the schema can stand in for it.
  check: (schema) => schema,
  check_items: (schema) => ({ ...schema, uniqueItems: true }),
  transform: (schema) => schema,
  regex: (schema, form: RegExp) => withPattern(schema, form),
  non_empty: (schema) => ({ ...schema, [schema.type === 'array' ? 'minItems' : 'minLength']: 1 }),
  max_length: (schema, maxLength: number) => ({ ...schema, maxLength }),
  integer: (schema) => ({ ...schema, type: 'integer' }),
  min_value: (schema, minimum: number) => ({ ...schema, minimum }),
  max_value: (schema, maximum: number) => ({ ...schema, maximum }),
};

function applyAction(schema: JsonSchema, action: PipeAction): JsonSchema {
  const row = actions[action.type];
  if (row === undefined) throw new Error(`no JSON Schema is known for ${action.type}`);
  return row(schema, (action as { readonly requirement?: unknown }).requirement as never);
}

/** JSON Schema has no flags: its patterns are Unicode ones, as all of ours can be. */
function withPattern(schema: JsonSchema, form: RegExp): JsonSchema {
  if (!['', 'u'].includes(form.flags)) throw new Error(`${form} has flags that are lost`);
  const pattern = new RegExp(form.source, 'u').source.replaceAll('\\/', '/');
  if (schema.pattern === undefined) return { ...schema, pattern };
  return { ...schema, allOf: [...(schema.allOf ?? []), { pattern }] };
}
