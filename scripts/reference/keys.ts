// Owns the list of keys: every path in a translated schema, with what may stand there.

import type { JsonSchema, Translation } from './json_schema.ts';

/** A key of a programme file, or of one of the types its keys have. */
export interface Key {
  /** From the file's root, or from the type that it belongs to: `tokens.access`, `input.in`. */
  readonly path: string;
  /** The type it belongs to; undefined for the keys of the file itself. */
  readonly type?: string;
  readonly schema: JsonSchema;
  /** Whether each map that can stand here must have it. */
  readonly required: boolean;
}

/** The keys at the root and below, in the schema's order; maps of a type of their own stay closed. */
export function keysOf(translation: Translation): readonly Key[] {
  const types = Object.entries(translation.definitions);
  return [
    ...below(translation.root, ''),
    ...types.flatMap(([type, schema]) =>
      below(schema, `${type}.`).map((key): Key => ({ ...key, type })),
    ),
  ];
}

/** The types whose values are maps with keys of their own. */
export function isMapType(schema: JsonSchema): boolean {
  return mapsIn(schema).length > 0;
}

function below(schema: JsonSchema, prefix: string): readonly Key[] {
  const found = new Map<string, Key>();
  for (const { properties = {}, required = [] } of mapsIn(schema)) {
    for (const [name, member] of Object.entries(properties)) {
      const path = prefix + name;
      if (found.has(path)) continue;
      found.set(path, { path, schema: member, required: required.includes(name) });
      for (const key of below(member, `${path}.`)) found.set(key.path, key);
    }
  }
  return [...found.values()];
}

/** The maps that a schema describes itself, not by reference. */
function mapsIn(schema: JsonSchema): readonly JsonSchema[] {
  if (schema.properties !== undefined) return [schema];
  return (schema.anyOf ?? []).flatMap(mapsIn);
}
