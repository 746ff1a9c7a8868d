// Owns the conversion of a Definition to a complete programme file, without variant or defaults.

import { definitionSchema } from '../language/definition.ts';
import { nodeAt } from '../lib/document.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import { allMapsIn } from '../schema/keys.ts';
import type { Schema, Shape } from '../schema/walk.ts';
import type { LoadedProgramme } from './load.ts';

/**
 * The whole dialect in plain values, with a file's keys in the reference's order. Values of file
 * and variant keep their written form; defaults are those of the schema. Leaves out `variant`:
 * loading the result would bring back the variant's keys that the file removes.
 */
export function effectiveDocument({
  definition,
  document,
}: LoadedProgramme): Readonly<Record<string, unknown>> {
  const { variant: _, ...dialect } = definition;
  return writeMap(dialect, document, definitionSchema);
}

function writeMap(
  map: object,
  node: YamlNode | undefined,
  schema: Schema | undefined,
): Record<string, unknown> {
  const maps = schema === undefined ? [] : allMapsIn(schema);
  const entries = Object.fromEntries(maps.flatMap((one) => Object.entries(one.entries ?? {})));
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => [
      key,
      writeValue(value, childOf(node, key), entries[key]),
    ]),
  );
}

function writeValue(value: unknown, node: YamlNode | undefined, schema?: Schema): unknown {
  if (node?.kind === 'scalar') return node.value;
  if (Array.isArray(value)) {
    const items = node?.kind === 'list' ? node.items : [];
    return value.map((item, index) => writeValue(item, items[index]));
  }
  if (value instanceof Map) return writeTree(value, node);
  if (typeof value === 'object' && value !== null) return writeMap(value, node, schema);
  return node === undefined ? ((schema as Shape | undefined)?.default ?? value) : value;
}

/**
 * A list of maps if a name looks like an integer: JavaScript would move such a key to the front.
 */
function writeTree(tree: ReadonlyMap<string, unknown>, node: YamlNode | undefined): unknown {
  const members = [...tree].map(([name, field]) => [
    name,
    writeValue(field, childOf(node, name)),
  ]) as [string, unknown][];
  const map = Object.fromEntries(members);
  const isOrdered = Object.keys(map).every((name, index) => name === members[index]?.[0]);
  return isOrdered ? map : members.map(([name, field]) => ({ [name]: field }));
}

/** A member of a map, or of a list of maps that stands for one map. */
function childOf(node: YamlNode | undefined, key: string): YamlNode | undefined {
  return node && nodeAt(node, [key]);
}
