// Owns the translation of valibot schemas into JSON Schema 2020-12: of values that stand alone, and
// of values that are laid over others. What a schema means beyond that (checks in code) is left out,
// never guessed.

import { isDeepStrictEqual } from 'node:util';

import { toPlain } from '../../src/lib/document.ts';
import { present } from '../../src/lib/present.ts';
import { parseYaml } from '../../src/lib/yaml/yaml.ts';
import { formOf } from '../../src/schema/key_words.ts';
import { hasKeys, isOptional, notesOf, titleOf } from '../../src/schema/keys.ts';
import type { PipeStep, Schema, Shape } from '../../src/schema/walk.ts';

/** What is looked at of a JSON Schema; whatever else it has is only written. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly pattern?: string;
  readonly [keyword: string]: unknown;
}

/** Schemas with a title, by the name it gives them in `$defs`. */
export type Definitions = Readonly<Record<string, JsonSchema>>;

/**
 * How a value stands: by itself, or over a value below it. Over another, nothing is required and a
 * null removes a key. What is missing then is for `jetway check`, which knows what lies below.
 */
export type Standing = 'alone' | 'over';

/** The translation of parts of a schema. */
interface Translator {
  readonly standing: Standing;
  /** The schema, or a reference to its definition. */
  readonly visit: (schema: Schema, standing?: Standing) => JsonSchema;
  /** The schema itself, even where it has a title. */
  readonly inline: (schema: Schema) => JsonSchema;
}

/**
 * Translates a schema and all it refers to, with the texts of its keys as descriptions and their
 * examples as values. Each titled schema becomes a definition of its own.
 *
 * @throws when a schema or action of a kind is met that has no row below, and when two different
 *   schemas have one title: what is generated must not differ from what is validated unnoticed
 */
export function translate(
  schema: Schema,
  standing: Standing = 'alone',
): { readonly root: JsonSchema; readonly definitions: Definitions } {
  const definitions = new Map<string, { readonly standing: Standing; readonly body: JsonSchema }>();
  const pending = new Map<string, Schema>();

  const define = (name: string, one: Schema, translator: Translator): void => {
    const place = `${translator.standing} ${name}`;
    // A schema that holds itself is met again on the way down.
    if (pending.get(place) === one) return;
    pending.set(place, one);
    const body = translator.inline(one);
    pending.delete(place);
    const known = definitions.get(name);
    if (known?.standing === translator.standing && !isDeepStrictEqual(known.body, body)) {
      throw new Error(`two different schemas have the title "${name}"`);
    }
    // A type that stands over another anywhere is never refused for what it lacks.
    if (known?.standing !== 'over') definitions.set(name, { standing: translator.standing, body });
  };

  const translatorOf = (stands: Standing): Translator => {
    const translator: Translator = {
      standing: stands,
      inline: (one) => {
        // Editors show what stands nearest to a value: a title without keys would hide the key's text.
        const title = hasKeys(one) ? notesOf(one).title : undefined;
        return { ...present({ title }), ...translateBody(one, translator) };
      },
      visit: (one, inner = stands) => {
        const visitor = inner === stands ? translator : translatorOf(inner);
        const name = titleOf(one);
        if (name === undefined) return translateBody(one, visitor);
        define(name, one, visitor);
        return { $ref: `#/$defs/${name}` };
      },
    };
    return translator;
  };

  const root = translatorOf(standing).visit(schema);
  const sorted = [...definitions].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { root, definitions: Object.fromEntries(sorted.map(([name, { body }]) => [name, body])) };
}

function translateBody(schema: Schema, translator: Translator): JsonSchema {
  const { json, alternatives } = notesOf(schema);
  if (json !== undefined) return json;
  if (alternatives !== undefined) return anyOf(alternatives(), translator);
  const [first, ...steps] = (schema as Shape).pipe ?? [];
  if (first !== undefined) return steps.reduce(applyStep, translator.visit(first as Schema));
  const row = types[schema.type];
  if (row === undefined) throw new Error(`no JSON Schema is known for ${schema.type}`);
  return row(schema, translator);
}

function anyOf(options: readonly Schema[], { visit, inline, standing }: Translator): JsonSchema {
  const bodies = options.map((option) => {
    const body = standing === 'over' ? inline(option) : {};
    return body.properties === undefined ? visit(option) : body;
  });
  const types = bodies.map((body) => body.type);
  const plain = bodies.every((body) => Object.keys(body).length === 1);
  if (plain && types.every((type) => typeof type === 'string')) return { type: types };
  // A file that changes a map's form removes the keys of the former form.
  const keys = bodies.flatMap(({ properties = {} }) => Object.keys(properties));
  const nulls = Object.fromEntries(keys.map((key) => [key, { type: 'null' }]));
  return {
    anyOf: bodies.map((body) =>
      body.properties === undefined || standing === 'alone'
        ? body
        : { ...body, properties: { ...nulls, ...body.properties } },
    ),
  };
}

const types: Readonly<Record<string, (shape: Shape, translator: Translator) => JsonSchema>> = {
  string: () => ({ type: 'string' }),
  number: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  null: () => ({ type: 'null' }),
  literal: ({ literal }) => ({ const: literal }),
  picklist: ({ options = [] }) => ({ enum: options }),
  // A list replaces the one below, so that its items are complete.
  array: ({ item }, { visit }) => ({ type: 'array', items: visit(existing(item), 'alone') }),
  record: ({ key, value }, { visit, standing }) => ({
    type: 'object',
    propertyNames: visit(key as Schema),
    additionalProperties: orNull(visit(existing(value)), standing),
  }),
  strict_object: ({ entries = {} }, { visit, standing }) => {
    const required = Object.keys(entries).filter((key) => !isOptional(existing(entries[key])));
    return {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(entries).map(([key, entry]) => [
          key,
          orNull({ ...visit(entry), ...tell(entry) }, standing),
        ]),
      ),
      ...(standing === 'alone' ? { required } : {}),
      additionalProperties: false,
    };
  },
  union: ({ options = [] }, translator) => anyOf(options as readonly Schema[], translator),
  variant: ({ options = [] }, translator) => anyOf(options as readonly Schema[], translator),
  exact_optional: ({ wrapped }, { visit }) => visit(existing(wrapped)),
  optional: ({ wrapped, default: usual }, { visit }) => ({
    ...visit(existing(wrapped)),
    default: usual,
  }),
  nullable: ({ wrapped }, { visit }) => ({ anyOf: [visit(existing(wrapped)), { type: 'null' }] }),
};

/** Over another value, adds null, which removes the key below. */
function orNull(
  { description, examples, default: usual, ...schema }: JsonSchema,
  standing: Standing,
): JsonSchema {
  const notes = present({ description, examples, default: usual });
  if (standing === 'alone') return { ...schema, ...notes };
  const isAlone = Object.keys(schema).length === 1;
  if (typeof schema.type === 'string' && schema.enum === undefined) {
    return { ...notes, ...schema, type: [schema.type, 'null'] };
  }
  if (schema.enum !== undefined && isAlone) return { ...notes, enum: [...schema.enum, null] };
  const nothing = { type: 'null' };
  return { ...notes, anyOf: [...(isAlone && schema.anyOf ? schema.anyOf : [schema]), nothing] };
}

/** Links lead to other parts of the page, which an editor does not show. */
function tell(entry: Shape): JsonSchema {
  const { text, example } = entry.docs ?? {};
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
