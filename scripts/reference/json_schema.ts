// Owns the translation of valibot schemas into JSON Schema 2020-12; knows nothing of programmes.
// What a schema means beyond that (checks in code) is left out, never guessed.

import { isDeepStrictEqual } from 'node:util';

import { toPlain } from '../../src/lib/document.ts';
import { present } from '../../src/lib/present.ts';
import { parseYaml } from '../../src/lib/yaml/yaml.ts';
import { formOf } from '../../src/schema/key_words.ts';
import { hasKeys, isOptional, notesOf, titleOf } from '../../src/schema/keys.ts';
import type { PipeStep, Schema, Shape } from '../../src/schema/walk.ts';

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

/**
 * Translates a schema and all it refers to, with the texts of its keys as descriptions and their
 * examples as values. Each titled schema becomes a definition of its own.
 *
 * @throws when a schema or action of a kind is met that has no row below, and when two different
 *   schemas have one title: what is generated must not differ from what is validated unnoticed
 */
export function translate(schema: Schema): Translation {
  const definitions = new Map<string, JsonSchema>();
  const pending = new Map<string, Schema>();

  const visit = (one: Schema): JsonSchema => {
    const name = titleOf(one);
    if (name === undefined) return translateBody(one, visit);
    const reference = { $ref: `#/$defs/${name}` };
    // A schema that holds itself is met again on the way down.
    if (pending.get(name) === one) return reference;
    pending.set(name, one);
    // Editors show what stands nearest to a value: a title without keys would hide the key's text.
    const title = hasKeys(one) ? notesOf(one).title : undefined;
    const body = { ...present({ title }), ...translateBody(one, visit) };
    pending.delete(name);
    const known = definitions.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, body)) {
      throw new Error(`two different schemas have the title "${name}"`);
    }
    definitions.set(name, body);
    return reference;
  };

  const root = visit(schema);
  const sorted = [...definitions].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { root, definitions: Object.fromEntries(sorted) };
}

type Visit = (schema: Schema) => JsonSchema;

function translateBody(schema: Schema, visit: Visit): JsonSchema {
  const { json, alternatives } = notesOf(schema);
  if (json !== undefined) return json;
  if (alternatives !== undefined) return anyOf(alternatives().map(visit));
  const [first, ...steps] = (schema as Shape).pipe ?? [];
  if (first === undefined) return translateType(schema, visit);
  return steps.reduce(applyStep, visit(first as Schema));
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
      Object.entries(entries).map(([key, entry]) => [key, { ...visit(entry), ...tell(entry) }]),
    ),
    required: Object.keys(entries).filter((key) => !isOptional(existing(entries[key]))),
    additionalProperties: false,
  }),
  union: ({ options = [] }, visit) => anyOf((options as readonly Schema[]).map(visit)),
  variant: ({ options = [] }, visit) => anyOf((options as readonly Schema[]).map(visit)),
  exact_optional: ({ wrapped }, visit) => visit(existing(wrapped)),
  optional: ({ wrapped, default: usual }, visit) => ({
    ...visit(existing(wrapped)),
    default: usual,
  }),
  nullable: ({ wrapped }, visit) => ({ anyOf: [visit(existing(wrapped)), { type: 'null' }] }),
};

function translateType(schema: Schema, visit: Visit): JsonSchema {
  const row = types[schema.type];
  if (row === undefined) throw new Error(`no JSON Schema is known for ${schema.type}`);
  return row(schema, visit);
}

/** Links lead to other parts of the page, which an editor does not show. */
function tell(entry: Shape): JsonSchema {
  const { text, example } = entry.told ?? {};
  return present({
    description: text?.replaceAll(/\[([^\]]+)\]\(#[^)]*\)/g, '$1'),
    examples: example === undefined ? undefined : [parseExample(example)],
  });
}

/** The value that an example shows. */
function parseExample(text: string): unknown {
  const { root, faults } = parseYaml('example', `value: ${text}`);
  if (root?.kind !== 'map' || faults.length > 0) throw new Error(`not YAML: ${text}`);
  return (toPlain(root) as Readonly<Record<string, unknown>>)['value'];
}

function existing(schema: Schema | undefined): Schema {
  if (schema === undefined) throw new Error('a schema lacks the part its type promises');
  return schema;
}

const steps: Readonly<Record<string, (schema: JsonSchema, requirement: never) => JsonSchema>> = {
  metadata: (schema) => schema,
  // Code says what these accept or make; a note on the schema can stand in for it.
  check: (schema) => schema,
  guard: (schema) => schema,
  check_items: (schema) => ({ ...schema, uniqueItems: true }),
  transform: (schema) => schema,
  regex: (schema, form: RegExp) => withPattern(schema, formOf(form)),
  non_empty: (schema) => ({ ...schema, [schema.type === 'array' ? 'minItems' : 'minLength']: 1 }),
  max_length: (schema, maxLength: number) => ({ ...schema, maxLength }),
  integer: (schema) => ({ ...schema, type: 'integer' }),
  min_value: (schema, minimum: number) => ({ ...schema, minimum }),
  max_value: (schema, maximum: number) => ({ ...schema, maximum }),
};

function applyStep(schema: JsonSchema, { type, requirement }: PipeStep): JsonSchema {
  const row = steps[type];
  if (row === undefined) throw new Error(`no JSON Schema is known for ${type}`);
  return row(schema, requirement as never);
}

function withPattern(schema: JsonSchema, pattern: string): JsonSchema {
  if (schema.pattern === undefined) return { ...schema, pattern };
  return { ...schema, allOf: [...(schema.allOf ?? []), { pattern }] };
}
